"""Real Home Assistant processes for the browser, with what their users did once."""

from pathlib import Path

from demo.client import Client
from virtual_home.home import Home

TROUBLED = Path(__file__).parent / "troubled"


async def set_up_mqtt(client: Client, home: Home) -> None:
    """Enter the broker as Home Assistant's own dialogue does."""
    step = await client.config_flow(
        "mqtt",
        {
            "broker": home.broker.host,
            "port": home.broker.port,
            "protocol": "3.1.1",
            "other_settings": {"set_client_cert": False, "set_ca_cert": "off"},
        },
    )
    assert step["type"] == "create_entry", step
