"""The actions, and who may call them."""
