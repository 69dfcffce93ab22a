"""Templates of one source are compiled once, and forgotten with the last that uses them."""

import gc
import weakref

from homeassistant.core import HomeAssistant
from homeassistant.helpers.template import Template

from common.shared_environment import shared_environment


async def test_one_source_is_compiled_once(hass: HomeAssistant) -> None:
    environment = shared_environment(hass)
    first, same, other = (
        environment.compile(Template(source, hass))
        for source in ("{{ value }}", "{{ value }}", "{{ value }}!")
    )
    assert first is same
    assert first is not other
    seen = weakref.ref(first)
    del first, same
    gc.collect()
    assert seen() is None
