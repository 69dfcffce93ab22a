"""Who may do what: a read-only user, a user, one who may control one hub, an automation."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from homeassistant.auth.const import GROUP_ID_READ_ONLY, GROUP_ID_USER
from homeassistant.auth.models import Group, User
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import Unauthorized, UnknownUser
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import (  # type: ignore[import-untyped]
    ClientSessionGenerator,
    WebSocketGenerator,
)

from tests.home import until
from virtual_home.hub import VirtualHub

from ..buttons import learn
from ..dialogue import Dialogue, add
from ..home import HDMI, NEC, POWER, RC5, entry as yaml_entry, known, our_hub, set_up
from ..issues import issues, mend

REMOTE = {"entity_id": "remote.lounge"}
TV = {"device": "tv", "command": "power"}
ACTIONS = [
    ("send", {"hub": "remote.lounge", "packet": RC5}),
    ("send", TV),
    ("send", {"hub": "remote.lounge", **TV}),
    ("learn", {"hub": "remote.lounge", "timeout": 1}),
    ("listen", {"hub": "remote.lounge"}),
    ("import_codes", {**REMOTE, "codes": {"tv": {"mute": NEC}}}),
    ("export_codes", REMOTE),
    ("rename_code", {**REMOTE, **TV, "new_command": "standby"}),
    ("delete_codes", {**REMOTE, **TV}),
    ("restore_codes", REMOTE),
]


async def user_of(hass: HomeAssistant, *groups: str) -> User:
    """Add a user; the first one of all would be the owner, who may do everything."""
    await hass.auth.async_create_user("owner")
    return await hass.auth.async_create_user("somebody", group_ids=[*groups])


async def act(hass: HomeAssistant, user: User | str, action: str, data: Mapping[str, Any]) -> None:
    id_ = user if isinstance(user, str) else user.id
    await hass.services.async_call(
        "irhub",
        action,
        {**data},
        blocking=True,
        context=Context(user_id=id_),
        return_response=action == "export_codes",
    )
    await hass.async_block_till_done()


@pytest.mark.usefixtures("entry")
@pytest.mark.parametrize(("action", "data"), ACTIONS)
async def test_a_read_only_user_may_do_nothing(
    hass: HomeAssistant, action: str, data: dict[str, Any], lounge: VirtualHub
) -> None:
    await learn(hass, tv={"power": RC5, "vol up": NEC})
    deleted = await known(hass).delete_named("tv", ["vol up"])
    before = {**known(hass)}
    reader = await user_of(hass, GROUP_ID_READ_ONLY)
    for user in (reader, "nobody"):
        with pytest.raises(UnknownUser if user == "nobody" else Unauthorized):
            await act(hass, user, action, data)
    assert lounge.transmitted == []
    assert {**known(hass)} == before
    assert known(hass).deleted.keys() == {deleted.id}
    assert not our_hub(hass, lounge).receiver.learning


@pytest.mark.parametrize("by_yaml", [True, False])
async def test_a_user_may_send_import_and_export(
    hass: HomeAssistant, by_yaml: bool, lounge: VirtualHub
) -> None:
    if by_yaml:
        await set_up(hass, "remote", yaml_entry(lounge, name="Lounge"))
        await until(lambda: our_hub(hass, lounge).available)
    else:
        await add(hass, lounge)
    user = await user_of(hass, GROUP_ID_USER)
    codes = {"tv": {"power": RC5, "mute": NEC}}
    await act(hass, user, "import_codes", {**REMOTE, "codes": codes})
    await act(hass, user, "export_codes", REMOTE)
    await act(hass, user, "send", {"device": "tv", "command": ["power", "mute"]})
    assert lounge.transmitted == [POWER, HDMI]


async def test_a_user_of_one_hub_may_use_no_other(
    hass: HomeAssistant, lounge: VirtualHub, attic: VirtualHub
) -> None:
    """Whoever may control one remote alone, by a policy of their own."""
    await add(hass, lounge)
    await add(hass, attic)
    user = await user_of(hass)
    policy = {"entities": {"entity_ids": {"remote.attic": True}}}
    user.groups = [Group(name="attic", policy=policy)]
    await act(hass, user, "send", {"hub": "remote.attic", "packet": RC5})
    for named in ({"hub": "remote.lounge"}, {"host": f"{lounge.host}:{lounge.port}"}):
        with pytest.raises(Unauthorized):
            await act(hass, user, "send", {**named, "packet": RC5})
    assert (lounge.transmitted, attic.transmitted) == ([], [POWER])


async def test_a_hub_without_a_remote_is_for_who_may_control_everything(
    hass: HomeAssistant, virtual_hub: VirtualHub
) -> None:
    switch = {"friendly_name": "Fan", "command_on": RC5, "command_off": NEC}
    await set_up(hass, "switch", yaml_entry(virtual_hub, type="rm_mini", switches={"fan": switch}))
    await until(lambda: our_hub(hass, virtual_hub).available)
    user, reader = await user_of(hass, GROUP_ID_USER), await user_of(hass, GROUP_ID_READ_ONLY)
    data = {"host": f"{virtual_hub.host}:{virtual_hub.port}", "packet": RC5}
    with pytest.raises(Unauthorized):
        await act(hass, reader, "send", data)
    await act(hass, user, "send", data)
    assert virtual_hub.transmitted == [POWER]


async def restored_by(hass: HomeAssistant, key: str) -> Dialogue:
    """Bring back what a repair offers, and return its dialogue."""
    [issue_id] = issues(hass)
    issue = ir.async_get(hass).async_get_issue("irhub", issue_id)
    assert issue is not None
    assert issue.translation_key == key
    return await (await mend(hass, issue_id)).choose("restore")


@pytest.mark.usefixtures("entry")
@pytest.mark.parametrize("domain", ["irhub", "remote"])
async def test_what_a_user_deletes_can_be_brought_back_by_a_repair(
    hass: HomeAssistant, domain: str
) -> None:
    await learn(hass, tv={"power": RC5, "vol up": NEC})
    user = await user_of(hass, GROUP_ID_USER)
    before = {**known(hass)}
    action = "delete_codes" if domain == "irhub" else "delete_command"
    by_user = Context(user_id=user.id)
    data = {**REMOTE, **TV}
    await hass.services.async_call(domain, action, data, blocking=True, context=by_user)
    assert known(hass).named("tv").by_name.keys() == {"vol up"}
    await restored_by(hass, "deleted_commands")
    assert known(hass).named("tv").by_name.keys() == {"power", "vol up"}
    assert issues(hass) == []
    both: dict[str, Any] = {**REMOTE, "device": "tv", "command": ["power", "vol up"]}
    await hass.services.async_call(domain, action, both, blocking=True, context=by_user)
    assert not known(hass)
    await restored_by(hass, "deleted_device")
    assert known(hass).keys() == before.keys()


@pytest.mark.usefixtures("entry")
async def test_what_an_automation_or_an_administrator_deletes_is_wanted(
    hass: HomeAssistant,
) -> None:
    await learn(hass, tv={"power": RC5, "vol up": NEC})
    owner = await hass.auth.async_create_user("owner", group_ids=["system-admin"])
    await act(hass, owner, "delete_codes", {**REMOTE, **TV})
    await hass.services.async_call(
        "irhub", "delete_codes", {**REMOTE, "device": "tv"}, blocking=True
    )
    assert issues(hass) == []


async def test_a_download_is_for_who_may_control_the_hub(
    hass: HomeAssistant,
    hass_client_no_auth: ClientSessionGenerator,
    hass_ws_client: WebSocketGenerator,
    hass_access_token: str,
    hass_read_only_access_token: str,
    *,
    lounge: VirtualHub,
) -> None:
    """Whoever is logged in may have any path signed, but gets no more by it."""
    assert await async_setup_component(hass, "config", {})
    assert await async_setup_component(hass, "auth", {})
    entry = await add(hass, lounge)
    await learn(hass, tv={"power": RC5})
    dialogue = Dialogue(
        hass.config_entries.options.async_configure,
        await hass.config_entries.options.async_init(entry.entry_id),
    )
    await (await dialogue.choose("share")).submit(format="irhub")  # from now on it is served
    path = f"/api/irhub/codes/{entry.entry_id}"
    stranger = await hass_client_no_auth()
    for token, status in (
        (hass_access_token, HTTPStatus.OK),
        (hass_read_only_access_token, HTTPStatus.UNAUTHORIZED),
    ):
        of_user = {"Authorization": f"Bearer {token}"}
        assert (await stranger.get(path, headers=of_user)).status == status
        socket = await hass_ws_client(hass, token)
        await socket.send_json_auto_id({"type": "auth/sign_path", "path": path})
        signed = (await socket.receive_json())["result"]["path"]
        assert (await stranger.get(signed)).status == status
