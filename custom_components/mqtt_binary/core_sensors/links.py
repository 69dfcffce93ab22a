"""Links of sensors to the announcements that they follow.

A link contains the unique id in the announcement and the configuration announced last. Links are
stored in the data of the config entry, by subentry id, since 0.4.0 cannot set up a subentry that
contains one. A new sensor has its link in its subentry at first, because its flow does not know
the id of the subentry.
"""

from collections.abc import Mapping
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback

from .. import const

type Link = Mapping[str, Any]


def links_of(entry: ConfigEntry) -> Mapping[str, Link]:
    """Return the links of the sensors: subentry id → link."""
    links: Mapping[str, Link] = entry.data.get(const.CONF_ANNOUNCED, {})
    return links


@callback
def async_set_link(
    hass: HomeAssistant, entry: ConfigEntry, subentry_id: str, link: Link | None
) -> None:
    """Store the link of a sensor, or remove it."""
    links = links_of(entry)
    if links.get(subentry_id) == link:
        return
    others = {id_: other for id_, other in links.items() if id_ != subentry_id}
    _store(hass, entry, others if link is None else {**others, subentry_id: link})


@callback
def async_update_links(hass: HomeAssistant, entry: ConfigEntry) -> None:
    """Move the links of new sensors from subentry to entry, and drop those of removed sensors."""
    links, subentries = links_of(entry), entry.subentries
    new = {
        id_: subentry.data[const.CONF_ANNOUNCED]
        for id_, subentry in subentries.items()
        if const.CONF_ANNOUNCED in subentry.data
    }
    if new or not links.keys() <= subentries.keys():
        old = {id_: link for id_, link in links.items() if id_ in subentries}
        _store(hass, entry, {**old, **new})
    for subentry_id in new:
        subentry = subentries[subentry_id]
        data = {key: value for key, value in subentry.data.items() if key != const.CONF_ANNOUNCED}
        hass.config_entries.async_update_subentry(entry, subentry, data=data)


def _store(hass: HomeAssistant, entry: ConfigEntry, links: Mapping[str, Link]) -> None:
    hass.config_entries.async_update_entry(
        entry, data={**entry.data, const.CONF_ANNOUNCED: dict(links)}
    )
