"""Hubs that the dialogue finds in the network."""

import os

from virtual_home.hub import VirtualHub
from virtual_home.hub.server import DISCOVERY_PORT

MAY_BE_FOUND = os.geteuid() == 0
"""Hubs hear broadcasts at a port that is for root alone."""


def a_hub_to_be_found(*, mac: str, name: str) -> VirtualHub:
    """Return a hub that no YAML knows, and that answers a broadcast if it may."""
    port = DISCOVERY_PORT if MAY_BE_FOUND else None
    return VirtualHub("rm4_pro", mac=mac, name=name, discovery_port=port)
