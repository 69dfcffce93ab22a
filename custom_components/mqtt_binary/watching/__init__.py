"""Finding a sensor's topic by watching what a device sends while the user works it."""
