"""Teaching: from the presses of a remote control to a rule, and its proof."""
