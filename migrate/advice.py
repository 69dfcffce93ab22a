"""What to change in an entry, an action or a block: sentences, and the changes that are certain."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
import re
from typing import Any, Final

from homeassistant.exceptions import HomeAssistantError
from homeassistant.util import slugify
import voluptuous as vol

from custom_components.irhub.ircodes import parse_text

from .configuration import (
    ACTION_KEYS,
    APPLIANCES,
    OLD_ACTION,
    Block,
    Call,
    Configuration,
    Entry,
    Place,
    Raw,
    has_unread,
    is_secret,
    secrets_in,
    without,
)
from .rewrite import AddedKey, Change, CommentedOut, NewKey, NewValue

NEW_NAMES: Final = {
    ("remote", "broadlink"): "irhub",
    ("sensor", "broadlink"): "irhub",
    ("switch", "broadlink"): "irhub",
    ("binary_sensor", "mqtt"): "mqtt_binary",
    **{(domain, "smartir"): "irhub" for domain in APPLIANCES},
}
REMOTE_NAME: Final = "Broadlink"
"""What a remote without a name is called."""
OURS: Final = {"irhub", "mqtt_binary", "rest"}
_DIALOGUE: Final = (
    "Settings → Devices & services → Add integration → MQTT",
    {
        "broker": "Broker",
        "port": "Port",
        "username": "Username",
        "password": "Password",
        "protocol": "MQTT protocol",
    },
)
_OTHER_SETTINGS: Final = (
    "there, Other settings",
    {
        "client_id": "Client ID",
        "keepalive": "The time between sending keep alive messages",
        "certificate": "Broker certificate validation: Custom",
        "client_cert": "Upload client certificate file",
        "client_key": "Upload private key file",
        "tls_insecure": "Ignore broker certificate validation",
    },
)
_OPTIONS: Final = (
    "once it is added, Configure",
    {
        "discovery": "Enable discovery",
        "discovery_prefix": "Discovery prefix",
        "birth_message": "Birth message",
        "will_message": "Will message",
    },
)
_GONE: Final = {
    "embedded": "a broker inside Home Assistant no longer exists: install Mosquitto (an app of"
    " Home Assistant OS, or a package), and name it in the dialogue",
    "tls_version": "is negotiated by itself",
}
_BROKER_KEYS: Final = {*_DIALOGUE[1], *_OTHER_SETTINGS[1], *_OPTIONS[1], *_GONE}


@dataclass(frozen=True, kw_only=True)
class Advice:
    """A remark; with `changes`, which belong together, one that --write takes care of."""

    text: str
    """Empty where the finding's title says it."""
    changes: tuple[Change, ...] = ()
    place: Place | None = None
    """Where the word to change stands."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What is said about one place of the configuration."""

    place: Place
    title: str
    advice: list[Advice]


def findings(configuration: Configuration) -> Iterator[Finding]:
    """Yield what there is to say about the configuration."""
    entries = [entry for entry in configuration.entries() if _concerns_us(entry)]
    hosts = _hosts(entries)
    hubs = _Hubs(configuration, entries)
    remotes = {
        f"remote.{slugify(str(entry.config.get('name') or REMOTE_NAME))}"
        for entry in entries
        if entry.domain == "remote" and is_ours(entry)
    }
    yield from _others(entries)
    for entry in entries:
        if is_cores(entry) and _known_host(entry, hosts) is None:
            title = "switch: platform: broadlink: stays with Home Assistant's own integration"
            text = "which reads it as it is, without host; for ours, add host and write irhub"
            yield Finding(place=entry.place, title=title, advice=[Advice(text=text)])
        elif is_smartirs(entry) and not _has_remote(entry, remotes):
            yield _smartir_finding(entry, hubs)
        elif is_ours(entry):
            advice = list(_entry_advice(entry, hosts))
            yield Finding(place=entry.place, title=_entry_title(entry, advice), advice=advice)
    for block in configuration.blocks():
        if block.key.startswith("rest"):
            advice = list(_rest_advice(block))
            title = f"{block.key}:" if advice else f"{block.key}: nothing to change"
            yield Finding(place=block.place, title=title, advice=advice)
        elif advice := list(_mqtt_advice(block)):
            yield Finding(place=block.place, title=_mqtt_title(block), advice=advice)
    for call in configuration.calls():
        if finding := _call_finding(call, hosts, hubs):
            yield finding


def is_ours(entry: Entry) -> bool:
    """Say whether one of our integrations serves, or will serve, this entry."""
    return (_new_name(entry) or entry.platform) in OURS


def is_cores(entry: Entry) -> bool:
    """Say whether this is the one form that Home Assistant's own Broadlink integration reads."""
    return (entry.domain, entry.platform) == ("switch", "broadlink") and "host" not in entry.config


def is_smartirs(entry: Entry) -> bool:
    """Say whether SmartIR serves this entry, until its platform is changed."""
    return entry.platform == "smartir"


def _has_remote(entry: Entry, remotes: set[str]) -> bool:
    """Say whether an entry of SmartIR sends through a remote that is, or will be, irhub's."""
    controller = entry.config.get("controller_data")
    if isinstance(controller, dict):
        controller = controller.get("remote_entity")
    return controller in remotes


class _Hubs:
    """The hubs that are known here: entries of YAML name them, and Home Assistant's own store."""

    def __init__(self, configuration: Configuration, entries: list[Entry]) -> None:
        """Collect them."""
        self._known: dict[str, dict[str, tuple[str | None, str]]] = {}
        for entry in entries:
            if (host := entry.config.get("host")) and (mac := entry.config.get("mac")):
                self._add(host, mac, configuration.written(mac), "another entry")
        for hub in configuration.stored_hubs():
            digits = ":".join(re.findall("..", _digits(hub.mac)))
            self._add(hub.host, hub.mac, f'"{digits}"', _STORED[hub.domain])
        self.configured = {
            *(str(entry.config.get("host")) for entry in entries if "host" in entry.config),
            *(hub.host for hub in configuration.stored_hubs() if hub.domain == "irhub"),
        }
        """The hosts that irhub knows, or will know."""

    def _add(self, host: object, mac: object, written: str | None, source: str) -> None:
        self._known.setdefault(str(host), {}).setdefault(_digits(mac), (written, source))

    def mac_at(self, host: object) -> tuple[str, str] | None:
        """Return a host's MAC address as YAML has it, and who says so; None if that is not sure."""
        found = [*self._known.get(str(host), {}).values()]
        if len(found) != 1:
            return None
        [(written, source)] = found
        return None if written is None else (written, source)


_STORED: Final = {
    "broadlink": "Home Assistant's own Broadlink integration",
    "irhub": "a hub of irhub's in the user interface",
}
_ADDRESS: Final = re.compile(r"\d{1,3}(\.\d{1,3}){3}")


def _smartir_finding(entry: Entry, hubs: _Hubs) -> Finding:
    """Say what becomes of an entry of SmartIR's that names no remote of ours."""
    controller = entry.config.get("controller_data")
    if (known := hubs.mac_at(controller)) is not None and not {"host", "mac"} & entry.config.keys():
        mac, source = known
        config = dict(entry.config)
        key = _key(config, "controller_data")
        changes: tuple[Change, ...] = (
            NewValue(line=entry.place.line, key="platform", old="smartir", new="irhub"),
            NewKey(line=key.line, key="controller_data", new="host"),
            AddedKey(line=entry.place.line, key="platform", value="smartir", added="mac", text=mac),
        )
        advice = Advice(
            text=f"controller_data → host, mac → {mac}, which {source} has for this address",
            changes=changes if key.file == entry.place.file else (),
            place=entry.place,
        )
        config |= {"platform": "irhub", "host": config.pop("controller_data"), "mac": _A_MAC}
        judged = _schema_advice("irhub", entry.domain, config)
        title = f"{entry.domain}: platform: smartir → irhub"
        return Finding(place=entry.place, title=title, advice=[advice, *judged])
    if isinstance(controller, str) and _ADDRESS.fullmatch(controller):
        text = (
            "its controller_data is the address of a hub whose MAC address is not known here: write"
            " irhub, and the hub's host and mac in place of controller_data"
        )
    else:
        text = "its controller_data is no remote of irhub's here; once it is one, write irhub"
    title = f"{entry.domain}: platform: smartir: stays with SmartIR"
    return Finding(place=entry.place, title=title, advice=[Advice(text=text)])


_A_MAC: Final = "00:00:00:00:00:00"
"""Stands for one that is known, while the rest is judged."""


def _new_name(entry: Entry) -> str | None:
    return NEW_NAMES.get((entry.domain, entry.platform))


def _others(entries: list[Entry]) -> Iterator[Finding]:
    """Say once what Home Assistant no longer loads, and we do not either."""
    others = [entry for entry in entries if not is_ours(entry)]
    if not others:
        return
    kinds = Counter(f"{entry.domain}: platform: {entry.platform}" for entry in others)
    names = ", ".join(f"{kind} ({count})" for kind, count in sorted(kinds.items()))
    text = "Home Assistant no longer loads these, nor do our integrations"
    if any(entry.platform == "mqtt" for entry in others):
        text += "; MQTT's stand under `mqtt:` today"
    if other_files := len({entry.place.file for entry in others}) - 1:
        text += f". Here, and in {other_files} other {'file' if other_files == 1 else 'files'}"
    yield Finding(place=others[0].place, title=f"not ours: {names}", advice=[Advice(text=text)])


def _concerns_us(entry: Entry) -> bool:
    return is_ours(entry) or entry.platform in {"broadlink", "mqtt"}


def _hosts(entries: list[Entry]) -> dict[str, str]:
    """Return the configured hosts with the digits of their MAC addresses."""
    return {
        str(host): _digits(entry.config.get("mac"))
        for entry in entries
        if (host := entry.config.get("host")) and not secrets_in(host)
    }


def _digits(mac: object) -> str:
    return re.sub(r"[^0-9a-f]", "", str(mac).lower())


def _entry_title(entry: Entry, advice: list[Advice]) -> str:
    title = f"{entry.domain}: platform: {entry.platform}"
    if new := _new_name(entry):
        return f"{title} → {new}"
    return title if advice else f"{title}: nothing to change"


def _entry_advice(entry: Entry, hosts: dict[str, str]) -> Iterator[Advice]:
    """Say what the entry needs; its schema judges it as it will be then."""
    name = entry.platform
    config = dict(entry.config)
    if new := _new_name(entry):
        change = NewValue(line=entry.place.line, key="platform", old=name, new=new)
        yield Advice(text="", changes=(change,), place=entry.place)
        name = config["platform"] = new
    yield from _old_keys(entry, config)
    if name == "irhub" and "host" not in config and "controller_data" not in config:
        yield _missing_host(entry, hosts)
        config["host"] = "host"
    yield from _schema_advice(name, entry.domain, config, moves=new is not None)


def _schema_advice(
    name: str, domain: str, config: dict[str, Raw], *, moves: bool = True
) -> Iterator[Advice]:
    """Say what the schema of one of our platforms makes of an entry.

    In an entry that `moves` to us, a key that never had an effect is commented out: Home
    Assistant would refuse the whole entry for it.
    """
    try:
        schema = import_module(f"custom_components.{name}.{domain}").PLATFORM_SCHEMA
    except ModuleNotFoundError:
        yield Advice(text=f"{name} has no platform for {domain}")
        return
    for path, text in _judged(schema, config):
        key = _key_at(config, path) if moves and text.endswith(_NO_KEY) else None
        if key is None or (place := Place.of(key)).file is None:
            yield Advice(text=text)
        else:
            yield Advice(
                text=text.removesuffix(_NO_KEY) + " → commented out: it never had an effect",
                changes=(CommentedOut(line=place.line, key=str(key)),),
                place=place,
            )


def _key_at(config: Raw, path: Sequence[object]) -> object:
    """Return the key that a path of an error ends with, as the loader made it."""
    *outer, last = path
    for part in outer:
        try:
            config = config[part]
        except LookupError, TypeError:
            return None
    return next((key for key in config if key == last), None) if isinstance(config, dict) else None


def _old_keys(entry: Entry, config: dict[str, Raw]) -> Iterator[Advice]:
    """Give keys of old their names of today, in the configuration too."""
    renamed = {"sensor_class": "device_class"}
    if entry.domain == "sensor":
        renamed = {"update_interval": "scan_interval"}
    for old, new in renamed.items():
        if old in config:
            yield from _renamed(config, old, new)
    if entry.domain == "switch" and isinstance(switches := config.get("switches"), dict):
        yield from _names_of_switches(config, switches)
    if entry.domain == "binary_sensor" and entry.platform in {"mqtt", "mqtt_binary"}:
        if "object_id" in config:
            yield from _entity_id(config, "binary_sensor")
        if "retain" in config:
            key = _key(config, "retain")
            config.pop("retain")
            yield Advice(
                text="retain → commented out: it belongs to what publishes the messages",
                changes=(CommentedOut(line=key.line, key="retain"),),
                place=key,
            )


def _names_of_switches(config: dict[str, Raw], switches: dict[str, Raw]) -> Iterator[Advice]:
    """Give switches names that Home Assistant still takes: no two underlines in a row."""
    named = {}
    for name, switch in switches.items():
        new = slugify(name) if isinstance(name, str) else name
        if new == name or new in switches or not isinstance(name, str):
            named[name] = switch
            continue
        named[new] = switch
        place = Place.of(name)
        yield Advice(
            text=f"switches → {name} → {new}, as Home Assistant has it in entity ids today",
            changes=(NewKey(line=place.line, key=name, new=new),) if place.file else (),
            place=place,
        )
    config["switches"] = named


def _renamed(config: dict[str, Raw], old: str, new: str) -> Iterator[Advice]:
    key = _key(config, old)
    if new in config:
        config.pop(old)
        yield Advice(text=f"{old}: {new} says the same today, and is there: remove {old}")
        return
    config[new] = config.pop(old)
    change = NewKey(line=key.line, key=old, new=new)
    yield Advice(text=f"{old} → {new}", changes=(change,), place=key)


def _entity_id(config: dict[str, Raw], domain: str) -> Iterator[Advice]:
    """Give `object_id` its name of today, which takes a whole entity id."""
    key, value = _key(config, "object_id"), config["object_id"]
    hidden = secrets_in(value)
    if "default_entity_id" in config:
        config.pop("object_id")
        yield Advice(text="object_id: default_entity_id takes its place, and is there: remove it")
        return
    config.pop("object_id")
    entity_id = config["default_entity_id"] = f"{domain}.{value}"
    change = NewKey(line=key.line, key="object_id", new="default_entity_id", value=entity_id)
    yield Advice(
        text=without(hidden, f"object_id: {value} → default_entity_id: {entity_id}"),
        changes=() if hidden else (change,),
        place=key,
    )


def _known_host(entry: Entry, hosts: dict[str, str]) -> str | None:
    hosts_of_mac = [host for host, mac in hosts.items() if mac == _digits(entry.config.get("mac"))]
    return hosts_of_mac[0] if len(hosts_of_mac) == 1 else None


def _missing_host(entry: Entry, hosts: dict[str, str]) -> Advice:
    host = _known_host(entry, hosts)
    if host is None:
        return Advice(
            text="host: this key is required and missing: the hub's address stands in your"
            " router's list of devices, beside its MAC address"
        )
    change = AddedKey(
        line=entry.place.line, key="platform", value=entry.platform, added="host", text=host
    )
    return Advice(
        text=f"host → {host}, which another entry has for this MAC address",
        changes=(change,),
        place=entry.place,
    )


def _rest_advice(block: Block) -> Iterator[Advice]:
    schema = import_module("custom_components.rest").CONFIG_SCHEMA
    for _path, text in _judged(schema, {"rest": block.config}):
        yield Advice(text=text.removeprefix("rest → "))


def _mqtt_title(block: Block) -> str:
    old = [key for key in block.config if key in _BROKER_KEYS]
    refused = "Home Assistant no longer reads this from YAML, and refuses the block that has it"
    return f"{block.key}: {', '.join(old)}: {refused}" if old else f"{block.key}:"


def _mqtt_advice(block: Block) -> Iterator[Advice]:
    """Say where the broker is set up today, and give old keys of its entities new names."""
    if old := [key for key in block.config if key in _BROKER_KEYS]:
        yield from _broker_advice(block, old)
    for domain, items in block.config.items():
        for item in items if isinstance(items, list) else [items]:
            if isinstance(item, dict) and "object_id" in item:
                yield from _entity_id(dict(item), str(domain))


def _broker_advice(block: Block, old: list[str]) -> Iterator[Advice]:
    for where, fields in (_DIALOGUE, _OTHER_SETTINGS, _OPTIONS):
        if named := [f"{fields[key]} ({key})" for key in old if key in fields]:
            yield Advice(text=f"{where}: {', '.join(named)}")
    for key in old:
        if key in _GONE:
            yield Advice(text=f"{key}: {_GONE[key]}")
    places = {key: _key(block.config, key) for key in old}
    files = {block.place.file, *(place.file for place in places.values())}
    if block.alone and len(old) == len(block.config) and len(files) == 1:
        places = {block.key: block.place}
    yield Advice(
        text=f"{', '.join(places)} → commented out",
        changes=tuple(CommentedOut(line=place.line, key=key) for key, place in places.items()),
        place=next(iter(places.values())),
    )


def _call_finding(call: Call, hosts: Iterable[str], hubs: _Hubs) -> Finding | None:
    """Say what takes the place of an action, then what is wrong with its packets."""
    match = OLD_ACTION.search(call.action)
    if match is None:
        return None
    new, suffix = f"irhub.{match[1]}", match[2]
    host = _host(suffix, hosts) if suffix else None
    today = f"{new} with host: {host or 'the address of the hub'}" if suffix else new
    if call.key in ACTION_KEYS and match[0] == call.action:
        changes: list[Change] = [
            NewValue(line=call.place.line, key=call.key, old=call.action, new=new)
        ]
        if host:
            changes.append(
                AddedKey(
                    line=call.place.line,
                    key=call.key,
                    value=call.action,
                    added="host",
                    text=host,
                    inside=("data", "data_template"),
                )
            )
        advice = [Advice(text="", changes=tuple(changes), place=call.place)]
        if suffix and not host:
            advice = [Advice(text="change this by hand: which hub that was is not known here")]
        title = f"{call.action} → {today}"
        advice += [*_hub_advice(call, host, hubs), *_packet_advice(call)]
        return Finding(place=call.place, title=title, advice=advice)
    if call.key == "controller_send_service":
        today = "controller_data with the entity id of the hub's remote, in SmartIR of today"
    elif "{" not in call.action and not call.key.endswith("service"):
        return None
    title = f"{call.key}: {match[0]}"
    return Finding(place=call.place, title=title, advice=[Advice(text=f"write {today}")])


def _host(suffix: str, hosts: Iterable[str]) -> str | None:
    """Return the host whose name, with dots as underlines, ended the action of old."""
    for host in hosts:
        if re.sub(r"\W", "_", host.lower()) == suffix.lower():
            return host
    return suffix.replace("_", ".") if re.fullmatch(r"\d+(_\d+){3}", suffix) else None


def _data(call: Call) -> dict[str, Raw]:
    data = call.config.get("data", call.config.get("data_template"))
    return data if isinstance(data, dict) else {}


def _hub_advice(call: Call, from_name: str | None, hubs: _Hubs) -> Iterator[Advice]:
    """Say that nothing is sent to a hub that is not set up."""
    host = from_name or _data(call).get("host")
    if isinstance(host, str) and "{" not in host and host not in hubs.configured:
        shown = from_name or without(secrets_in(host), host)
        yield Advice(
            text=f"host: no entry names {shown}, and nothing is sent to a hub that is not set up:"
            " add it, in YAML or in the user interface"
        )


def _packet_advice(call: Call) -> Iterator[Advice]:
    packets = _data(call).get("packet", [])
    for packet in packets if isinstance(packets, list) else [packets]:
        if isinstance(packet, str) and "{" not in packet:
            try:
                parse_text(packet)
            except ValueError as err:
                yield Advice(text=without(secrets_in(packet), f"packet: {err}"))


def _judged(
    schema: Any,  # noqa: ANN401  (any validator)
    config: dict[str, Raw],
) -> Iterator[tuple[Sequence[object], str]]:
    """Yield what a schema of ours refuses, where, and why, without the values that are secret."""
    try:
        schema(config)
    except vol.MultipleInvalid as err:
        for error in err.errors:
            if not has_unread(config, error.path):
                yield error.path, without(secrets_in(config, error.path), _sentence(error))
    except (vol.Invalid, HomeAssistantError) as err:
        if not has_unread(config):
            yield (), without(secrets_in(config), str(err))


_NO_KEY: Final = ": this key no longer exists: remove it"


def _sentence(error: vol.Invalid) -> str:
    # "(value not shown)" leads an error past a value that Home Assistant would log
    names = ("!secret" if is_secret(part) else str(part) for part in error.path)
    path = " → ".join(name for name in names if not name.startswith("("))
    message = error.error_message
    if message in {"extra keys not allowed", "not a valid option"}:  # up to 2026.8, from 2026.9
        message = _NO_KEY.removeprefix(": ")
    elif message == "required key not provided":
        message = "this key is required and missing"
    return f"{path}: {message}" if path else message


def _key(config: dict[str, Raw], name: str) -> Place:
    """Return where a key stands."""
    return next(Place.of(key) for key in config if key == name)
