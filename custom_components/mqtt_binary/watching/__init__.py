"""Find a sensor's topic by watching the messages while the user operates the device."""
