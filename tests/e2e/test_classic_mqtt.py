"""A configuration of the classic days, with its `mqtt: broker:`, in a Home Assistant of today."""

from pathlib import Path

import pytest

from demo.host import Host
from demo.walk import set_up_mqtt
from virtual_home.home import Home

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="session")]

SENSOR = "binary_sensor.mqtt_binary_sensor"
CLASSIC = """
mqtt:
  broker: 192.0.2.1
  username: me
  password: secret
"""
YAML = """
homeassistant:
  country: NL
  auth_providers:
    - type: trusted_networks
      trusted_networks: [127.0.0.0/8, "::1"]
      allow_bypass_login: true
    - type: homeassistant
http:
  server_host: 127.0.0.1
  server_port: !secret http_port
frontend:
config:
ffmpeg:
  ffmpeg_bin: /bin/true # set up by default, used by nothing here
binary_sensor:
  - platform: mqtt_binary
    state_topic: classic/door
"""


async def test_from_the_classic_block_to_a_working_sensor(home: Home, tmp_path: Path) -> None:
    """The sensor is there, Repairs says what to do, and what it says helps."""
    (tmp_path / "configuration.yaml").write_text(YAML + CLASSIC)
    home.contact.publish("classic/door", "ON", retain=True)
    async with Host(tmp_path, home.secrets()) as host:
        client = await host.client()
        await client.wait_state(SENSOR, "unavailable")
        listed = await client.command({"type": "repairs/list_issues"})
        assert [
            issue["translation_key"]
            for issue in listed["issues"]
            if issue["domain"] == "mqtt_binary"
        ] == ["refused"]
        assert host.log().count("Home Assistant refuses the mqtt: block") == 1
        await host.stop()

        (host.config / "configuration.yaml").write_text(
            (host.config / "configuration.yaml").read_text().replace(CLASSIC, "")
        )
        await host.start()
        client = await host.client()
        await client.wait_state(SENSOR, "unavailable")
        await set_up_mqtt(client, home.broker)
        await client.wait_state(SENSOR, "on")
        listed = await client.command({"type": "repairs/list_issues"})
        assert not [issue for issue in listed["issues"] if issue["domain"] == "mqtt_binary"]
