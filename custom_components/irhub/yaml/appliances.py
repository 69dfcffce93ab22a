"""Entities of appliances in YAML, with the commands of a stored device or of a code file."""

from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from functools import partial
import logging
from pathlib import Path
from typing import Final
from urllib.parse import quote

from homeassistant.const import (
    CONF_DELAY,
    CONF_DEVICE,
    CONF_DEVICE_CLASS,
    CONF_HOST,
    CONF_NAME,
    CONF_UNIQUE_ID,
    Platform,
)
from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_platform import (
    AddEntitiesCallback,
)
from homeassistant.helpers.event import async_call_later, async_track_state_change_event
from homeassistant.helpers.start import async_at_started
from homeassistant.helpers.typing import ConfigType

from ..const import DOMAIN
from ..devices.code_file import SMARTIR_FOLDERS, CodeFile, read_file
from ..devices.device import Device, Settings
from ..devices.kinds import Kind
from ..devices.meanings import with_meanings
from ..entities.device_setup import MakeEntity, async_rule_of
from ..entities.use import Use
from ..errors import UserError, list_reasons
from ..hub.hub import Hub
from ..hub.hubs import DATA_HUBS
from ..settings import HubSettings, Mac
from .device_schema import (
    CONF_CONTROLLER_DATA,
    CONF_DELAY_SECS,
    CONF_DEVICE_CODE,
    CONF_EMITTER,
    CONF_FILE,
    CONF_FOLLOW,
    CONF_HUMIDITY_SENSOR,
    CONF_NUM_REPEATS,
    CONF_POWER_SENSOR,
    CONF_POWER_SENSOR_DELAY,
    CONF_POWER_SENSOR_RESTORE_STATE,
    CONF_POWER_SENSOR_THRESHOLD,
    CONF_REMOTE_ENTITY,
    CONF_RESEND,
    CONF_SOURCE_NAMES,
    CONF_TEMPERATURE_SENSOR,
)
from .hubs import DATA_YAML_HUBS, async_use_in_yaml

_LOGGER = logging.getLogger(__package__)

REMOTE_PATIENCE_S: Final = 5
"""Seconds after start-up at which an entry logs that its remote or hub is missing."""

_SMARTIRS_CLASS: Final = "tv"
"""Default device class of SmartIR's players; HomeKit shows only this one as a television."""


async def async_add_from_yaml(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    kind: Kind,
    make: MakeEntity,
) -> None:
    """Add the device of a YAML entry; if that fails, log the error."""
    try:
        device, source, name = await _read_yaml(hass, config, kind)
        rule = await async_rule_of(hass, device)
    except UserError as err:
        _LOGGER.error("%s: %s", config.get(CONF_NAME, kind.platform), err)  # noqa: TRY400  (says it all)
        return

    async def add(hub: HubSettings | None = None) -> None:
        if (use := async_use_in_yaml(hass, config, hub)) is not None:
            await use.devices.try_load()
            if (key := config.get(CONF_UNIQUE_ID)) is None:
                key = use.unique_id(quote(source, safe=""))
            else:
                _adopt_smartir_entity(hass, kind, key)
            read = partial(_stored_device, use, device) if CONF_DEVICE in config else lambda: device
            async_add_entities([make(replace(use, name=use.name or name), read, key, rule)])

    if CONF_HOST in config:
        await add()
    else:
        await _when_hub_is_known(hass, config, add)


def _stored_device(use: Use, yaml_device: Device) -> Device:
    """Return the stored device that YAML names, with the kind and settings of YAML."""
    if (device := use.devices.known(yaml_device.name)) is None:
        return yaml_device
    of_yaml = replace(
        yaml_device,
        id=device.id,
        commands=device.commands,
        capabilities=device.capabilities,
        steps=device.steps,
        functions=device.functions if device.kind.platform == yaml_device.kind.platform else {},
    )
    return with_meanings(of_yaml, device.commands.values())


async def _read_yaml(
    hass: HomeAssistant, config: ConfigType, kind: Kind
) -> tuple[Device, str, str]:
    """Return the device of an entry, the source of its commands, and its name. Raise UserError."""
    file: CodeFile | None = None
    if (source := config.get(CONF_DEVICE)) is not None:
        device_name = source
    else:
        if (name := config.get(CONF_FILE)) is not None:
            names = [name]
        else:
            code = f"{kind.platform}/{config[CONF_DEVICE_CODE]}.json"
            names = [f"custom_components/smartir/{folder}/{code}" for folder in SMARTIR_FOLDERS]
        source = names[-1]
        folder = Path(hass.config.config_dir)
        read = partial(read_file, folder, names, device=source)
        file = await hass.async_add_executor_job(read)
        file.check()
        device_name = " ".join([file.manufacturer, *file.models[:1]]).strip() or Path(source).stem
        _LOGGER.info("%s: %s", source, file.account.sentences[0])
        for sentence in file.account.sentences:
            if sentence.key == "as_preset":
                _LOGGER.warning("%s: %s", source, sentence)
        if file.refused:
            _LOGGER.warning(
                "%s: %s commands cannot be used: %s",
                source,
                len(file.refused),
                list_reasons(file.refused, tell=str),
            )
    controller = config.get(CONF_CONTROLLER_DATA, {})
    smartirs = kind is Kind.PLAYER and CONF_DEVICE_CODE in config
    device = Device(
        id=source,
        name=source,
        kind=kind,
        settings=Settings(
            delay=config[CONF_DELAY],
            repeats=controller.get(CONF_NUM_REPEATS, 1),
            repeat_delay=controller.get(CONF_DELAY_SECS, config[CONF_DELAY]),
            temperature_sensor=config.get(CONF_TEMPERATURE_SENSOR),
            humidity_sensor=config.get(CONF_HUMIDITY_SENSOR),
            power_sensor=config.get(CONF_POWER_SENSOR),
            power_threshold=config[CONF_POWER_SENSOR_THRESHOLD],
            power_delay=config[CONF_POWER_SENSOR_DELAY],
            power_restores=config[CONF_POWER_SENSOR_RESTORE_STATE],
            device_class=config.get(CONF_DEVICE_CLASS, _SMARTIRS_CLASS if smartirs else None),
            follow=config[CONF_FOLLOW],
            resend=config[CONF_RESEND],
            source_names=config.get(CONF_SOURCE_NAMES),
        ).with_emitters(config.get(CONF_EMITTER, ())),
    )
    if file is not None:
        device = file.on(device)
        file.check_states(device)
    return device, source, device_name


@callback
def _adopt_smartir_entity(hass: HomeAssistant, kind: Kind, unique_id: str) -> None:
    """Adopt an entity of SmartIR that is not loaded; its id, history and settings are kept."""
    registry, domain = er.async_get(hass), str(kind.platform)
    left = registry.async_get_entity_id(domain, "smartir", unique_id)
    if left is not None and registry.async_get_entity_id(domain, DOMAIN, unique_id) is None:
        with suppress(ValueError):  # still loaded by SmartIR
            registry.async_update_entity_platform(left, DOMAIN)


async def _when_hub_is_known(
    hass: HomeAssistant,
    config: ConfigType,
    add: Callable[[HubSettings], Coroutine[None, None, None]],
) -> None:
    """Call `add` with the settings of the hub that the entry names, as soon as it exists.

    Wait indefinitely for a remote, but for an address only until Home Assistant has started.
    """
    controller = config[CONF_CONTROLLER_DATA]
    remote: str | None = controller.get(CONF_REMOTE_ENTITY)
    if (hub := _hub_of(hass, controller)) is not None:
        await add(hub)
        return
    waits: list[CALLBACK_TYPE] = []

    @callback
    def end() -> None:
        while waits:
            waits.pop()()

    async def try_add(_event: object) -> bool:
        if (hub := _hub_of(hass, controller)) is None:
            return False
        end()
        await add(hub)
        return True

    async def try_add_finally(_now: object) -> None:
        if not await try_add(_now):
            _log_missing(config)

    @callback
    def started(_hass: HomeAssistant) -> None:
        job = HassJob(try_add_finally, cancel_on_shutdown=True)
        waits.append(async_call_later(hass, REMOTE_PATIENCE_S, job))

    hass.data[DATA_YAML_HUBS].async_on_end(end)
    if remote is not None:
        waits.append(async_track_state_change_event(hass, remote, try_add))
    waits.append(async_at_started(hass, started))


def _log_missing(config: ConfigType) -> None:
    """Log that the remote or the hub that an entry names does not exist."""
    match config[CONF_CONTROLLER_DATA]:
        case {"remote_entity": remote}:
            _LOGGER.error(
                "%s: there is no remote %s of irhub. It is waited for; host and mac of its hub"
                " would do, too",
                config.get(CONF_NAME, remote),
                remote,
            )
        case {"host": address}:
            _LOGGER.error(
                "%s: there is no one hub of irhub at %s; write host and mac of the hub",
                config.get(CONF_NAME, address),
                address,
            )


def _hub_of(hass: HomeAssistant, controller: ConfigType) -> HubSettings | None:
    """Return the settings of the hub with an address or remote, if it is one of irhub's."""
    if (address := controller.get(CONF_HOST)) is not None:
        try:
            hub: Hub | None = hass.data[DATA_HUBS].find(address)
        except UserError:
            return None
    else:
        entry = er.async_get(hass).async_get(controller[CONF_REMOTE_ENTITY])
        if entry is None or entry.platform != DOMAIN or entry.domain != Platform.REMOTE:
            return None
        mac = Mac.read(entry.unique_id)  # None: the remote of a player
        hub = None if mac is None else hass.data[DATA_HUBS].hub(mac)
    return None if hub is None else replace(hub.settings, name=None, other_hosts=())
