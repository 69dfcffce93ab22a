"""Choose the receiver for learning."""

from collections.abc import Sequence
from typing import Final, override

from homeassistant.helpers.selector import SelectSelector
import voluptuous as vol

from ..hub.reception import Reception
from ..settings import ALL_RECEIVERS, OWN_RECEIVER
from .form import select
from .page import Answers, HubPage, Page, Shown

CONF_RECEIVER: Final = "receiver"


class ReceiverPage(HubPage):
    """Asks, once per dialogue, which receiver the remote control is pointed at."""

    @override
    async def show(self) -> Shown:
        reception = self.hub.reception
        suggested = {CONF_RECEIVER: OWN_RECEIVER if reception.own is not None else ALL_RECEIVERS}
        return await self.form(
            "receiver", {vol.Required(CONF_RECEIVER): receiver_selector(reception)}, suggested
        )

    @override
    async def submit(self, answers: Answers) -> Page:
        self.flow.receivers = (answers[CONF_RECEIVER],)
        assert isinstance(self.before, Page)  # noqa: S101 - for mypy: the page that listens
        return self.before


def receiver_selector(
    reception: Reception, chosen: Sequence[str] = (), *, multiple: bool = False
) -> SelectSelector:
    """Return a field for receivers; `chosen` ones are offered even if unavailable."""
    own, labels = reception.own, {}
    if own is not None and own in reception.choices:
        labels[OWN_RECEIVER] = own.label
    labels[ALL_RECEIVERS] = ALL_RECEIVERS
    labels |= {
        str(receiver.id): receiver.label
        for receiver in reception.choices
        if receiver is not reception.own
    }
    labels |= {id_: id_ for id_ in chosen if id_ not in labels}
    return select(
        labels,
        multiple=multiple,
        as_list=not multiple,
        translation_key="receiver",
        label_of=labels.__getitem__,
    )
