"""What is read from a file: commands, their meanings, and why some are refused."""

from custom_components.irhub.ircodes.files.imported import Imported
from custom_components.irhub.ircodes.protocols.protocols import meaning


def commands_of(imported: Imported) -> dict[str, list[bytes]]:
    """Return the commands of the only device."""
    [of_device] = imported.commands.values()
    return {name: [*packets] for name, packets in of_device.items()}


def meanings_of(imported: Imported) -> dict[str, str]:
    """Return the meanings of the commands of the only device; "": unknown."""
    meanings = {name: meaning(packets[0]) for name, packets in commands_of(imported).items()}
    return {name: "" if known is None else known.text for name, known in meanings.items()}


def meaning_of(packet: bytes) -> str:
    """Return the meaning of a packet that has one."""
    known = meaning(packet)
    assert known is not None
    return known.text


def refusals(imported: Imported) -> dict[str, str]:
    """Return why commands are refused."""
    return {name: str(reason) for name, reason in imported.refused.items()}
