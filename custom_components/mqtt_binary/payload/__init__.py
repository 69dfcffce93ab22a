"""From a message's payload to on, off or unknown."""
