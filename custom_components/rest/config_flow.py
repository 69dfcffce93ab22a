"""Core's config flow, once a Home Assistant has one; it registers itself for the domain."""

from importlib import import_module

from homeassistant.components import rest as core

import_module(f"{core.__name__}.config_flow")
