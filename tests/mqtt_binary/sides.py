"""One `mqtt: binary_sensor:` configuration, set up by core's integration or by ours."""

from abc import ABC, abstractmethod
import json
from typing import Any, Final, override

from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    MockConfigEntry,
)

from .home import MqttHome

type Config = dict[str, Any]


class Side(ABC):
    """A Home Assistant with one of the two integrations, and a device on the broker."""

    ours: bool
    prefix: str

    def __init__(self, home: MqttHome) -> None:
        self.home = home

    @abstractmethod
    async def set_up(self, *sensors: Config) -> None:
        """Set up the sensors of the YAML, and discovery."""

    @abstractmethod
    async def reload(self, *sensors: Config) -> None:
        """Change the YAML and reload it."""

    async def announce(self, config: Config | str, object_id: str = "bla") -> None:
        """Announce a sensor, and wait until that has been processed."""
        await self.publish_config(f"binary_sensor/{object_id}", config)

    async def announce_device(self, config: Config | str, object_id: str = "bla") -> None:
        """Announce all components of a device, and wait until that has been processed."""
        await self.publish_config(f"device/{object_id}", config)

    async def publish_config(self, levels: str, config: Config | str) -> None:
        """Publish a discovery message, and wait until that has been processed."""
        payload = config if isinstance(config, str) else json.dumps(config)
        self.home.publish(f"{self.prefix}/{levels}/config", payload, retain=True)
        for _ in range(3):
            await self.home.settled()
            await self.home.hass.async_block_till_done(wait_background_tasks=True)

    async def send(self, topic: str, payload: str | bytes) -> None:
        """Publish, and wait until that has been processed."""
        self.home.publish(topic, payload)
        await self.home.settled()
        await self.home.hass.async_block_till_done()

    def state(self, name: str = "test") -> str | None:
        """Return the state of a sensor, None if it is not there."""
        state = self.home.hass.states.get(f"binary_sensor.{name}")
        return None if state is None else state.state

    def attributes(self, name: str = "test") -> dict[str, Any]:
        """Return the attributes of a sensor."""
        state = self.home.hass.states.get(f"binary_sensor.{name}")
        assert state is not None
        return dict(state.attributes)


class Core(Side):
    """Core's integration, the sensors under `mqtt:`."""

    ours = False
    prefix = "homeassistant"

    @override
    async def set_up(self, *sensors: Config) -> None:
        self._write(*sensors)
        await self.home.start_mqtt(discovery=True)
        await self.home.hass.async_block_till_done()
        await self.home.settled()

    @override
    async def reload(self, *sensors: Config) -> None:
        self._write(*sensors)
        await self.home.hass.services.async_call("mqtt", "reload", blocking=True)
        await self.home.hass.async_block_till_done()
        await self.home.settled()

    def _write(self, *sensors: Config) -> None:
        # JSON is YAML.
        self.home.yaml.write_text(json.dumps({"mqtt": {"binary_sensor": sensors}}))


class Ours(Side):
    """Our integration: the same sensors, each with its `platform:`."""

    ours = True
    prefix = "mqtt_binary"

    @override
    async def set_up(self, *sensors: Config) -> None:
        await self.home.start_mqtt()
        entry = MockConfigEntry(domain="mqtt_binary", options={"discovery_prefix": self.prefix})
        entry.add_to_hass(self.home.hass)
        config = self._platform_entries(*sensors)
        assert await async_setup_component(self.home.hass, "binary_sensor", config)
        assert await async_setup_component(self.home.hass, "mqtt_binary", config)
        await self.home.hass.async_block_till_done()
        await self.home.settled()

    @override
    async def reload(self, *sensors: Config) -> None:
        self.home.yaml.write_text(json.dumps(self._platform_entries(*sensors)))
        await self.home.hass.services.async_call("mqtt_binary", "reload", blocking=True)
        await self.home.hass.async_block_till_done()
        await self.home.settled()

    def _platform_entries(self, *sensors: Config) -> Config:
        return {"binary_sensor": [{"platform": "mqtt_binary", **sensor} for sensor in sensors]}


SIDES: Final[dict[str, type[Side]]] = {"core": Core, "ours": Ours}

both_sides = pytest.mark.parametrize("side", SIDES, indirect=True)


@pytest.fixture(name="side")
def side_fixture(bare_home: MqttHome, request: pytest.FixtureRequest) -> Side:
    """Return one of the sides; `both_sides` runs a test on each."""
    return SIDES[request.param](bare_home)
