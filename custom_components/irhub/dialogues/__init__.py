"""The dialogues: adding and reconfiguring a hub, its settings, learned commands, appliances."""
