"""Fixtures shared by all tests: real sockets on loopback, our integrations in Home Assistant."""

import pytest
import pytest_socket


@pytest.fixture(autouse=True)
def loopback(socket_enabled: None) -> None:  # noqa: ARG001  (fixture wanted for its effect)
    """Allow real sockets, on this machine only (127.0.0.0/8)."""
    pytest_socket.socket_allow_hosts(["127.0.0.0/8", "::1"], allow_unix_socket=True)


@pytest.fixture(autouse=True)
def our_integrations(enable_custom_integrations: None) -> None:
    """Let Home Assistant find this project's `custom_components`."""
