"""Adding and changing an appliance in the dialogue."""

from homeassistant.config_entries import SOURCE_RECONFIGURE, SOURCE_USER, ConfigEntry
from homeassistant.core import HomeAssistant

from benchmarks.virtual_remotes import VirtualRemote
from custom_components.irhub.ircodes import State
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue
from ..ircodes.code_files import Codes, air_conditioner

CODES = Codes()

FANS = ["low", "high"]

FILE = air_conditioner(
    {
        "off": CODES.packet(),
        "cool": CODES.nest(FANS, ["20", "21"]),
        "dry": CODES.nest(["-"]),
        "turbo": CODES.packet(),
        "broken": "JgAB",
    },
    operationModes=["cool", "dry"],
    fanModes=FANS,
)


async def begin(hass: HomeAssistant, entry: ConfigEntry, kind: str = "air_conditioner") -> Dialogue:
    """Click on "Add appliance", and say what it is."""
    flows = hass.config_entries.subentries
    key = (entry.entry_id, "appliance")
    shown = await flows.async_init(key, context={"source": SOURCE_USER})
    dialogue = Dialogue(flows.async_configure, shown)  # type: ignore[arg-type]  # a subentry's result
    return await dialogue.choose(kind)


async def change(
    hass: HomeAssistant, entry: ConfigEntry, subentry_id: str | None = None
) -> Dialogue:
    """Click on "Change appliance", of the only one if none is named."""
    flows = hass.config_entries.subentries
    if subentry_id is None:
        [subentry_id] = entry.subentries
    shown = await flows.async_init(
        (entry.entry_id, "appliance"),
        context={"source": SOURCE_RECONFIGURE, "subentry_id": subentry_id},
    )
    return Dialogue(flows.async_configure, shown)  # type: ignore[arg-type]  # a subentry's result


async def press_known(
    hass: HomeAssistant, entry: ConfigEntry, hub: VirtualHub, protocol: str
) -> Dialogue:
    """Begin an air conditioner of a known protocol by two presses, up to its page."""
    remote = VirtualRemote(protocol)
    dialogue = await (await begin(hass, entry)).choose("press_button")
    for degrees, action in ((24.0, "press_state"), (22.0, "press_another")):
        await dialogue.progress(action)
        state = State(mode="cool", preset="none", fan="auto", swing="off", temperature=degrees)
        await hub.press_when_listening(remote.packet(state))
        if degrees == 24.0:
            await dialogue.arrive("heard")
            await dialogue.choose("known_state")
    return await dialogue.arrive("ready")


async def finish(
    hass: HomeAssistant, dialogue: Dialogue, entity_id: str, **answers: object
) -> None:
    """Choose "Done", and wait for the entity."""
    await dialogue.submit(**{**dialogue.suggested, "then": "finish", **answers})
    await until(lambda: (state := hass.states.get(entity_id)) and state.state != "unavailable")
    await hass.async_block_till_done()


async def act(hass: HomeAssistant, domain: str, action: str, **data: object) -> None:
    await hass.services.async_call(domain, action, data, blocking=True)
