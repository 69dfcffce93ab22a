"""The card that shows a remote control: its JavaScript, and its websocket commands."""
