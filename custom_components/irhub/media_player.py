"""The media player platform: televisions, receivers and players."""

from collections.abc import Mapping
from typing import Any, Final, override

from homeassistant.components.media_player import (  # type: ignore[attr-defined]  # its own names, since 2026.10 imported
    ATTR_INPUT_SOURCE,
    ATTR_MEDIA_VOLUME_MUTED,
    ATTR_SOUND_MODE,
    DEVICE_CLASSES_SCHEMA,
    PLATFORM_SCHEMA as MEDIA_PLAYER_PLATFORM_SCHEMA,
    MediaPlayerDeviceClass,
    MediaPlayerEntity,
    MediaPlayerEntityFeature as Feature,
    MediaPlayerState,
    MediaType,
)
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType

from .devices.kinds import Kind
from .devices.name_parsing import values
from .entities.correcting import Fields, Value
from .entities.device_entity import DeviceEntity
from .entities.device_setup import async_add_from_entry
from .entities.players import async_register_player
from .entities.use import IrhubConfigEntry
from .errors import UserError
from .yaml.appliances import async_add_from_yaml
from .yaml.device_schema import device_schema

CHANNEL_DIGITS: Final = 5
"""Maximum number of digits of a channel; each digit is a transmission."""

PARALLEL_UPDATES = 0
PLATFORM_SCHEMA = device_schema(MEDIA_PLAYER_PLATFORM_SCHEMA, DEVICE_CLASSES_SCHEMA)

_FEATURES: Final = {
    "on": Feature.TURN_ON,
    "off": Feature.TURN_OFF,
    "toggle": Feature.TURN_ON | Feature.TURN_OFF,
    "volume_up": Feature.VOLUME_STEP,
    "volume_down": Feature.VOLUME_STEP,
    "mute": Feature.VOLUME_MUTE,
    "next": Feature.NEXT_TRACK,
    "previous": Feature.PREVIOUS_TRACK,
    "play": Feature.PLAY,
    "pause": Feature.PAUSE,
    "stop": Feature.STOP,
    "source": Feature.SELECT_SOURCE,
    "sound_mode": Feature.SELECT_SOUND_MODE,
    "digit": Feature.PLAY_MEDIA,
}
"""Function, or its prefix before a value → feature."""
_KNOWN_CLASSES: Final = {known.value: known for known in MediaPlayerDeviceClass}
"""Device classes of the running Home Assistant; older releases lack some."""
_MUTED: Final = "muted"
_SOURCE: Final = "source"
_SOUND_MODE: Final = "sound_mode"
_CHANNEL: Final = "channel"


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the player of a YAML entry."""
    await async_add_from_yaml(hass, config, async_add_entities, Kind.PLAYER, Player)


async def async_setup_entry(
    _hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the players among the devices of a hub."""
    await async_add_from_entry(entry, async_add_entities, Platform.MEDIA_PLAYER, Player)


class Player(DeviceEntity, MediaPlayerEntity):
    """A television, a receiver, a player."""

    @override
    async def async_added_to_hass(self) -> None:
        """Register the player, for the remote beside it."""
        await super().async_added_to_hass()
        self.async_on_remove(async_register_player(self.hass, self))

    @override
    def _commands_changed(self) -> None:
        functions = self._profile.functions
        features = Feature(0)
        for function in functions:
            name = function if function in _FEATURES else function.partition(" ")[0]
            features |= _FEATURES.get(name, Feature(0))  # else one of a newer version
        self._attr_supported_features = features
        shown = self.settings.source_names or {}
        sources = {shown.get(name, name): name for name in values(functions, "source")}
        self._sources = {name: source for name, source in sources.items() if name is not None}
        self._attr_source_list = [*self._sources] or None
        self._attr_sound_mode_list = [*values(functions, "sound_mode")] or None
        device_class = self.settings.device_class or self.device.kind.traits.device_class
        self._attr_device_class = _KNOWN_CLASSES.get(device_class or "")

    @override
    def _show(self) -> None:
        is_on, attributes = self._is_turned_on, self._attributes
        state = MediaPlayerState.ON if is_on else MediaPlayerState.OFF
        self._attr_state = None if is_on is None else state
        self._attr_is_volume_muted = attributes.get(_MUTED)
        self._attr_source = attributes.get(_SOURCE)
        self._attr_sound_mode = attributes.get(_SOUND_MODE)
        self._attr_media_channel = attributes.get(_CHANNEL)

    @override
    def _effect_of(self, function: str) -> tuple[bool | None, dict[str, object]]:
        name, _, value = function.partition(" ")
        match name:
            case "source":
                shown = next(
                    (shown for shown, source in self._sources.items() if source == value), value
                )
                return None, {_SOURCE: shown, _CHANNEL: None}
            case "sound_mode":
                return None, {_SOUND_MODE: value}
            case "mute":
                return None, {_MUTED: not self._attributes.get(_MUTED, False)}
            case "volume_up":
                return None, {_MUTED: False}
            case "next" | "previous" | "digit":
                return None, {_CHANNEL: None}
            case _:
                return super()._effect_of(function)

    @override
    def _fields(self, *, on: bool) -> Fields:
        fields: dict[str, list[Value]] = {}
        if on and self._sources:
            fields[ATTR_INPUT_SOURCE] = [*self._sources]
        if on and self._attr_sound_mode_list:
            fields[ATTR_SOUND_MODE] = [*self._attr_sound_mode_list]
        if on and "mute" in self._profile.functions:
            fields[ATTR_MEDIA_VOLUME_MUTED] = [True, False]
        return fields

    @override
    def _attributes_of(self, fields: Mapping[str, Value]) -> Mapping[str, object]:
        attributes: dict[str, object] = {}
        for field, value in fields.items():
            match field:
                case "source":
                    attributes |= {_SOURCE: value, _CHANNEL: None}
                case "is_volume_muted":
                    attributes[_MUTED] = value
                case _:
                    attributes[field] = value
        return attributes

    @override
    async def async_turn_on(self) -> None:
        """Turn it on."""
        await self.async_switch(on=True)

    @override
    async def async_turn_off(self) -> None:
        """Turn it off."""
        await self.async_switch(on=False)

    @override
    async def async_volume_up(self) -> None:
        """Raise the volume, which also ends muting."""
        await self._do("volume_up", muted=False)

    @override
    async def async_volume_down(self) -> None:
        """Lower the volume."""
        await self._do("volume_down")

    @override
    async def async_mute_volume(self, mute: bool) -> None:
        """Send the toggle if the assumed state differs."""
        await self._toggle_to("mute", _MUTED, mute)

    @override
    async def async_media_next_track(self) -> None:
        """Go to the next channel or track."""
        await self._do("next", channel=None)

    @override
    async def async_media_previous_track(self) -> None:
        """Go to the previous channel or track."""
        await self._do("previous", channel=None)

    @override
    async def async_media_play(self) -> None:
        """Play."""
        await self._do("play")

    @override
    async def async_media_pause(self) -> None:
        """Pause."""
        await self._do("pause")

    @override
    async def async_media_stop(self) -> None:
        """Stop."""
        await self._do("stop")

    @override
    async def async_select_source(self, source: str) -> None:
        """Select a source."""
        await self._do(f"source {self._sources.get(source, source)}", source=source, channel=None)

    @override
    async def async_select_sound_mode(self, sound_mode: str) -> None:
        """Select a sound mode."""
        await self._do(f"sound_mode {sound_mode}", sound_mode=sound_mode)

    @override
    async def async_play_media(
        self, media_type: MediaType | str, media_id: str, **kwargs: Any
    ) -> None:
        """Select a channel by sending the digits of its number."""
        is_number = media_id.isdecimal() and len(media_id) <= CHANNEL_DIGITS
        if media_type != MediaType.CHANNEL or not is_number:
            raise UserError(
                "no_channel",
                entity_id=self.entity_id,
                channel=media_id,
                digits=str(CHANNEL_DIGITS),
            )
        digits = [self._command(f"digit {digit}") for digit in media_id]
        async with self._changing():
            await self._send(*digits)
            self._update_state(channel=media_id)
