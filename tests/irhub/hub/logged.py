"""Count log messages."""

import logging

import pytest


def logged(caplog: pytest.LogCaptureFixture, text: str) -> int:
    """Return how often a text was logged at info level or above."""
    return sum(
        text in record.getMessage()
        for record in caplog.records
        if record.levelno >= logging.INFO and record.name.startswith("custom_components.irhub")
    )
