"""Presses of a remote control's buttons."""

BUTTONS = 14


def a_press(number: int) -> bytes:
    """Return the packet of a button as a hub receives it: NEC, with `number` as its command."""
    ticks = [295, 148]
    for bit in f"{0x04:08b}{0xFB:08b}{number:08b}{number ^ 0xFF:08b}":
        ticks += [18, 55 if bit == "1" else 18]
    ticks += [18, 0x0D05]
    data = b"".join(
        bytes((tick,)) if tick <= 0xFF else b"\0" + tick.to_bytes(2, "big") for tick in ticks
    )
    return b"\x26\0" + len(data).to_bytes(2, "little") + data
