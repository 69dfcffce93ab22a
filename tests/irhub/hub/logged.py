"""How often the log says something."""

import logging

import pytest


def logged(caplog: pytest.LogCaptureFixture, text: str) -> int:
    """Return how often a text was logged for the user to see."""
    return sum(
        text in record.getMessage()
        for record in caplog.records
        if record.levelno >= logging.INFO and record.name.startswith("custom_components.irhub")
    )
