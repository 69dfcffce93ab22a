"""Core's config flow, if this version has one; importing it registers it for the domain."""

from importlib import import_module

from homeassistant.components import rest as core

import_module(f"{core.__name__}.config_flow")
