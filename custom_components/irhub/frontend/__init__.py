"""The card that shows a remote control: its file for browsers, and what it asks for."""
