"""What works right after the Marketplace has installed an integration, and what takes a restart."""

import json
from pathlib import Path
import shutil

import pytest

from demo.host import ROOT, Host
from demo.walk import DISCOVERY, add_hub, set_up_mqtt
from virtual_home.home import Home
from virtual_home.hub import VirtualHub

from .lacks import needs

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    needs("the Marketplace"),
]
HERE = Path(__file__).parent


async def test_only_rest_waits_for_a_restart(home: Home, tmp_path: Path) -> None:
    config, installed = tmp_path / "config", tmp_path / "custom_components"
    shutil.copytree(HERE / "fresh", config)
    with (config / "configuration.yaml").open("a") as file:
        file.write("\ninstaller:\n")
    shutil.copytree(HERE / "installer", installed / "installer")
    async with Host(config, {}, integrations=installed) as host:
        client = await host.client()
        for domain in ("irhub", "mqtt_binary", "rest"):
            shutil.copytree(ROOT / "custom_components" / domain, installed / domain)
            manifest = json.loads((installed / domain / "manifest.json").read_text())
            data = {"domain": domain, "config_flow": manifest.get("config_flow", False)}
            reply = await client.call("installer.finish", data, response=True)
            assert reply == {"pending_restart": domain == "rest"}, domain
        repairs = await client.command({"type": "repairs/list_issues"})
        waiting = [
            issue["issue_domain"]
            for issue in repairs["issues"]
            if issue["translation_key"] == "restart_required"
        ]
        assert waiting == ["rest"]

        async with VirtualHub("rm4_mini", mac="34:EA:34:00:00:91", name="Den") as hub:
            await add_hub(client, hub)
            await client.wait_state("remote.den", "on")
        await set_up_mqtt(client, home.broker)
        step = await client.config_flow("mqtt_binary", {})
        assert step["type"] == "create_entry"
        topic = "mqtt_binary/binary_sensor/garage/config"
        home.contact.publish(topic, DISCOVERY, retain=True)
        await client.wait_state("binary_sensor.garage_door", "unknown")
