"""Learning a command in a hub's dialogue."""

from .dialogue import Dialogue


async def learn(dialogue: Dialogue, command: str, receiver: str | None = None) -> Dialogue:
    """Begin to learn a command; choose a receiver where the dialogue asks for it."""
    await dialogue.choose("learn")
    await dialogue.submit(device="tv", command=command, alternative=False)
    if receiver is not None:
        assert dialogue.step == "receiver"
        await dialogue.submit(receiver=receiver)
    return await dialogue.progress("press")
