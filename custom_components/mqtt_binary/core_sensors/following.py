"""Keep sensors that were taken over in line with the announcements of their devices to core.

A new announcement updates all keys that the user has not changed; a repair issue names the others.
A sensor that is not announced any more becomes unavailable, with a repair issue, since its state
would never change again.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
import logging
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.const import CONF_NAME, CONF_UNIQUE_ID
from homeassistant.core import CALLBACK_TYPE, HassJob, HassJobType, HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.event import async_call_later
from homeassistant.util.hass_dict import HassKey
import voluptuous as vol

from .. import const, mqtt
from .._common.log_once import LogOnce
from .._common.markdown import bullets
from ..connection import Connection
from ..discovery.prefix import ENCODING
from ..payload.text import UnreadablePayloadError, text_of
from ..subentry_settings import settings_of
from .announced import Refused, announced_in, announcement_topics
from .links import async_set_link, links_of
from .merging import Merged, apply_announcement, merge

_LOGGER = logging.getLogger(__name__)

ABSENT_S: Final = 60.0
"""Seconds to wait for an announcement after the start or after one was deleted: a device that
moves to another topic deletes the old announcement first, and a broker that has lost its retained
messages receives them again when the devices announce themselves."""
MAX_SHOWN: Final = 200
"""Maximum number of characters of a value to show."""

_OTHERWISE: Final = "announced_otherwise"
_NO_LONGER: Final = "announced_no_longer"


class Follower:
    """Subscribes to announcements to core while any sensor follows one."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry,
        connection: Connection,
        changed: Callable[[], None],
    ) -> None:
        """Call `changed` when a sensor becomes unavailable, or available again."""
        self._hass = hass
        self._entry = entry
        self._connection = connection
        self._changed = changed
        self._topics: dict[str, frozenset[str]] = {}  # topic → the unique ids that it announces
        self._announcements: dict[str, dict[str, Any]] = {}
        self._links: dict[str, str] = {}  # subentry → unique id
        self._unsubscribes: list[CALLBACK_TYPE] = []
        self._joined = False
        self._cancel: CALLBACK_TYPE | None = None
        self._log = LogOnce(_LOGGER)
        self.missing: set[str] = set()
        """Ids of subentries whose sensors are not announced any more."""

    @callback
    def update(self) -> None:
        """Follow the sensors of the current subentries."""
        previous = self._links
        self._links = {
            subentry_id: str(link[CONF_UNIQUE_ID])
            for subentry_id, link in links_of(self._entry).items()
            if subentry_id in self._entry.subentries
        }
        for subentry_id in previous.keys() - self._links.keys():
            self._settle(subentry_id)
        if self._links.keys() - previous.keys():
            self._mark_missing_later()
            # Subscribing again delivers the retained messages again, for the new sensor.
            self.unsubscribe()
            _ = self._hass.async_create_task(self._join(), "mqtt_binary follow")
        elif not self._links:
            self.stop()

    async def _join(self) -> None:
        if not self._joined:
            self._joined = True
            await self._connection.async_join(self)
        elif self._connection.set_up:
            await self.async_subscribe()
        if not self._links:  # stopped meanwhile
            self.stop()

    @callback
    def stop(self) -> None:
        """Stop following all sensors."""
        self._links = {}
        self.unsubscribe()
        if self._joined:
            self._joined = False
            self._connection.leave(self)
        if self._cancel is not None:
            self._cancel()
            self._cancel = None

    async def async_subscribe(self) -> None:
        """Subscribe to the announcements to core."""
        if self._unsubscribes:
            return
        for topic in announcement_topics(self._hass):
            self._unsubscribes.append(
                await mqtt.async_subscribe(self._hass, topic, self._received, encoding=ENCODING)
            )

    @callback
    def unsubscribe(self) -> None:
        """Drop the subscriptions."""
        while self._unsubscribes:
            self._unsubscribes.pop()()

    @callback
    def connection_changed(self) -> None:
        """Do nothing: after a reconnection, the broker sends the retained messages again."""

    @callback
    def _received(self, message: mqtt.ReceiveMessage) -> None:
        topic, unique_ids = message.topic, {*self._links.values()}
        announced_before = self._topics.get(topic, frozenset())
        # Most messages are about other sensors and need not be parsed.
        if not announced_before and not _may_name(message, unique_ids):
            return
        configs, refused = _followed_in(message, unique_ids, announced_before)
        announced = frozenset({*configs, *refused})
        self._topics[topic] = announced
        if not announced:
            del self._topics[topic]
        if announced_before - announced:
            self._mark_missing_later()
        for unique_id, reason in refused.items():
            self._report_refused(unique_id, reason)
        for unique_id, config in configs.items():
            self._announcements[unique_id] = config
            for subentry_id, link in [*self._links.items()]:
                if link == unique_id:
                    self._take(subentry_id, config)

    def _report_refused(self, unique_id: str, reason: str) -> None:
        """Log that sensors stay as they are, as core's do whose announcement is invalid."""
        for subentry_id, link in self._links.items():
            if link == unique_id:
                title = self._entry.subentries[subentry_id].title
                self._log.report(
                    subentry_id,
                    f"{title} stays as it is: the new announcement of its device cannot be used: "
                    f"{reason}",
                )

    @callback
    def _take(self, subentry_id: str, announcement: Mapping[str, Any]) -> None:
        """Apply an announcement to a sensor."""
        self._log.settle(subentry_id)
        subentry = self._entry.subentries[subentry_id]
        previous = links_of(self._entry)[subentry_id]["config"]
        merged = merge(subentry.data, previous, announcement)
        if not _is_valid(merged.config, subentry_id):
            changed = sorted(
                key
                for key in {*previous, *announcement}
                if previous.get(key) != announcement.get(key)
            )
            merged = Merged(config={**subentry.data}, announced=previous, overridden=changed)
        self._set_missing(subentry_id, is_missing=False)
        _save(self._hass, self._entry, subentry, merged.config, merged.announced)
        issue = f"{_OTHERWISE}_{subentry_id}"
        if merged.overridden:
            self._report(
                issue,
                subentry,
                _OTHERWISE,
                _placeholders(merged.overridden, subentry, announcement),
            )
        else:
            ir.async_delete_issue(self._hass, const.DOMAIN, issue)

    @callback
    def resolve(self, subentry_id: str, *, accept: bool) -> None:
        """Apply all announced values, or keep the user's until the announcement changes again."""
        subentry = self._entry.subentries.get(subentry_id)
        announcement = self._announcements.get(self._links.get(subentry_id, ""))
        if subentry is None or announcement is None:
            return
        config = {**subentry.data}
        if accept and _is_valid(accepted := apply_announcement(config, announcement), subentry_id):
            config = accepted
        _save(self._hass, self._entry, subentry, config, announcement)
        ir.async_delete_issue(self._hass, const.DOMAIN, f"{_OTHERWISE}_{subentry_id}")

    @callback
    def unlink(self, subentry_id: str) -> None:
        """Keep a sensor that is not announced any more, and stop following it."""
        async_set_link(self._hass, self._entry, subentry_id, None)

    @callback
    def _mark_missing_later(self) -> None:
        if self._cancel is not None:
            self._cancel()
        job = HassJob(self._mark_missing, "mqtt_binary follow", job_type=HassJobType.Callback)
        self._cancel = async_call_later(self._hass, ABSENT_S, job)

    @callback
    def _mark_missing(self, _now: datetime) -> None:
        """Mark the sensors that are not announced any more."""
        self._cancel = None
        if not self._connection.connected:
            self._mark_missing_later()
            return
        announced = frozenset[str]().union(*self._topics.values())
        for subentry_id, unique_id in self._links.items():
            self._set_missing(subentry_id, is_missing=unique_id not in announced)

    @callback
    def _set_missing(self, subentry_id: str, *, is_missing: bool) -> None:
        if is_missing is (subentry_id in self.missing):
            return
        if is_missing:
            self.missing.add(subentry_id)
            subentry = self._entry.subentries[subentry_id]
            _LOGGER.warning("%s is unavailable: its device announces it no longer", subentry.title)
            self._report(f"{_NO_LONGER}_{subentry_id}", subentry, _NO_LONGER, {})
        else:
            self.missing.discard(subentry_id)
            ir.async_delete_issue(self._hass, const.DOMAIN, f"{_NO_LONGER}_{subentry_id}")
        self._changed()

    @callback
    def _settle(self, subentry_id: str) -> None:
        """Delete the issues of a sensor that is not followed any more."""
        self._set_missing(subentry_id, is_missing=False)
        ir.async_delete_issue(self._hass, const.DOMAIN, f"{_OTHERWISE}_{subentry_id}")

    def _report(
        self, issue: str, subentry: ConfigSubentry, key: str, placeholders: Mapping[str, str]
    ) -> None:
        ir.async_create_issue(
            self._hass,
            const.DOMAIN,
            issue,
            data={"entry_id": self._entry.entry_id, "subentry_id": subentry.subentry_id},
            is_fixable=True,
            severity=ir.IssueSeverity.WARNING,
            translation_key=key,
            translation_placeholders={"name": subentry.title, **placeholders},
        )


def _followed_in(
    message: mqtt.ReceiveMessage, unique_ids: set[str], announced_before: frozenset[str]
) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Return the configurations of followed sensors, and why others are invalid, by unique id."""
    configs: dict[str, dict[str, Any]] = {}
    refused: dict[str, str] = {}
    for sensor in announced_in(message):
        if not isinstance(sensor, Refused):
            configs.update([sensor])
        elif sensor.unique_id is not None:
            refused[sensor.unique_id] = sensor.reason
        else:  # it may be about any sensor that it names, or that the topic announced
            affected = announced_before | _named_in(message, unique_ids)
            refused = dict.fromkeys(affected, sensor.reason) | refused
    return (
        {id_: config for id_, config in configs.items() if id_ in unique_ids},
        {id_: reason for id_, reason in refused.items() if id_ in unique_ids - configs.keys()},
    )


def _may_name(message: mqtt.ReceiveMessage, unique_ids: Iterable[str]) -> bool:
    """Return whether an announcement may contain one of the ids, also escaped."""
    return bool(_named_in(message, {"\\u", *unique_ids}))


def _named_in(message: mqtt.ReceiveMessage, unique_ids: Iterable[str]) -> set[str]:
    """Return the ids that the text of an announcement contains."""
    try:
        text = text_of(message.payload, ENCODING)
    except UnreadablePayloadError:
        return set()
    return {unique_id for unique_id in unique_ids if unique_id in text}


def _is_valid(config: Mapping[str, Any], subentry_id: str) -> bool:
    try:
        settings_of(config, subentry_id)
    except vol.Invalid:
        return False
    return True


@callback
def _save(
    hass: HomeAssistant,
    entry: ConfigEntry,
    subentry: ConfigSubentry,
    config: Mapping[str, Any],
    announced: Mapping[str, Any],
) -> None:
    link = links_of(entry)[subentry.subentry_id]
    name = config[CONF_NAME]
    # A title set by the user is kept.
    title = name if subentry.title == subentry.data[CONF_NAME] else subentry.title
    hass.config_entries.async_update_subentry(entry, subentry, data={**config}, title=title)
    async_set_link(hass, entry, subentry.subentry_id, {**link, "config": {**announced}})


def _placeholders(
    keys: list[str], subentry: ConfigSubentry, announcement: Mapping[str, Any]
) -> dict[str, str]:
    """Return the announced values and the current ones as placeholders, one key per line."""

    def lines(config: Mapping[str, Any]) -> str:
        return bullets(f"{key}: {str(config.get(key, '-'))[:MAX_SHOWN]}" for key in keys)

    return {"announced": lines(announcement), "ours": lines(subentry.data)}


FOLLOWERS: HassKey[dict[str, Follower]] = HassKey(f"{const.DOMAIN}_followers")
"""Config entry id → follower."""
