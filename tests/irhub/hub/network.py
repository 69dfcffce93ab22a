"""Network interfaces of the machine."""

from unittest.mock import AsyncMock

from homeassistant.components import network
import pytest


def use_interfaces(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Give the machine network interfaces with these addresses."""
    adapters = [{"ipv4": [{"address": address, "network_prefix": 8}]} for address in addresses]
    monkeypatch.setattr(network, "async_get_adapters", AsyncMock(return_value=adapters))
