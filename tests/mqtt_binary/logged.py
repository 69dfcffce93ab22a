"""Warnings in the log."""

import logging

import pytest


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return our warnings and errors."""
    return [
        record.getMessage()
        for record in caplog.records
        if record.levelno >= logging.WARNING and "mqtt_binary" in record.name
    ]
