"""Add an air conditioner without a file: two presses of its remote control prove the protocol.

If the protocol library has no packet to turn it off, a third press provides one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, override

from homeassistant.core import HomeAssistant

from ..devices.device import Device, Protocol, Taught
from ..devices.kinds import Kind
from ..devices.rules import protocol_rule
from ..entities.device_setup import async_rule_of
from ..errors import UserError, common_texts, list_names
from ..hub.learning import Captured
from ..ircodes import OFF, BitRule, Off, State, meaning
from ..ircodes.protocols import (
    PROTOCOLS,
    Fields,
    ProtocolRule,
    readings,
    with_pressed_off,
)
from ..ircodes.teaching import KeptPress
from .draft import Draft, DraftPage, SourcePage
from .listening import OnePressPage
from .page import Answers, MenuPage, Page, Shown, option
from .words import Words, async_words

MODE: Final = "cool"
REQUESTED_DEGREES: Final = ((24, 75), (25, 77))
"""Temperatures to set for the successive presses, in (°C, °F)."""

type Claims = Mapping[str, Fields]
"""Protocols that decode all presses as the requested states → their other fields."""


@dataclass(frozen=True, kw_only=True)
class Proof:
    """Progress of the proof of a protocol."""

    claims: Claims = field(default_factory=dict)
    presses: int = 0
    """Number of presses that had the requested states."""
    last_press: str = ""
    """The meaning of the last press, as text."""
    rule: ProtocolRule | None = None
    """The rule, once it has a packet to turn the device off."""

    async def async_with_press(self, hass: HomeAssistant, press: bytes) -> Proof:
        """Return the proof narrowed by one more press. Raise UserError as `_narrowed` does."""
        words = await async_words(hass)
        narrow = partial(_narrow, self.claims, press, self.presses, words)
        claims, last_press = await hass.async_add_executor_job(narrow)
        proof = Proof(claims=claims, presses=self.presses + 1, last_press=last_press)
        return (
            proof if proof.presses < len(REQUESTED_DEGREES) else await proof.async_with_rule(hass)
        )

    async def async_with_rule(self, hass: HomeAssistant) -> Proof:
        """Return the proof with the rule of the remaining protocol, if that can turn off."""
        [(protocol, fields)] = self.claims.items()
        rule = await hass.async_add_executor_job(protocol_rule, protocol, fields)
        return self if rule.off is None else replace(self, rule=rule)


class FromRemotePage(SourcePage):
    """Explains how to set the remote control before the first press."""

    @override
    async def show(self) -> Shown:
        return await self.form("from_remote")

    @override
    async def submit(self, answers: Answers) -> Page:
        return ReceiveStatePage(self, Proof())


@dataclass(repr=False)
class ReceiveStatePage(OnePressPage, SourcePage):
    """Listens for the presses of the proof, one per page."""

    step = "hear_state"
    to_press = "set_state"
    proof: Proof

    @property
    @override
    def texts(self) -> Mapping[str, str]:
        celsius, fahrenheit = REQUESTED_DEGREES[self.proof.presses]
        return {"asked": f"{celsius} °C ({fahrenheit} °F)", "heard": self.proof.last_press}

    @override
    async def next_page(self, captured: Sequence[Captured]) -> Page:
        proof = await self.proof.async_with_press(self.hass, captured[0].packet)
        if proof.presses < len(REQUESTED_DEGREES):
            return ReceiveStatePage(self.before, proof)
        if proof.rule is None:
            return AskOffPage(self.before, proof)
        return await take_proof(self, proof, proof.rule)

    @override
    async def on_failure(self) -> Page:
        options = ["from_remote", "teach", "which_file", "how"]
        return MenuPage(self.before, "state_heard", options, problem=self.problem)


async def take_proof(page: SourcePage, proof: Proof, rule: ProtocolRule) -> Page:
    """Return the page of an air conditioner with the proved protocol."""
    [(protocol, fields)] = proof.claims.items()
    maker, words = protocol.partition(" ")[0], await async_words(page.hass)
    device = Device(
        id=page.new_id(),
        name=page.creator.unused_name(f"{maker} {words.kind(Kind.AIR_CONDITIONER)}"),
        kind=Kind.AIR_CONDITIONER,
        rule=Protocol(name=protocol, fields=fields),
        capabilities=rule.chosen.listed,
    )
    return await page.creator.accept(Draft(device=device, rule=rule, last_press=proof.last_press))


@dataclass(repr=False)
class AskOffPage(SourcePage):
    """Offers to press off, since the library has no packet for it."""

    proof: Proof

    @override
    async def show(self) -> Shown:
        options = ["hear_off", "from_remote", "teach", "which_file", "how"]
        return self.menu("ask_off", options, heard=self.proof.last_press)

    @option
    async def hear_off(self) -> Page:
        """Press it."""
        return ReceiveOffPage(self)


@dataclass(repr=False)
class ReceiveOffPage(OnePressPage, SourcePage):
    """Listens for the press that turns it off."""

    step = "hear_off"
    to_press = "press_off"
    before: AskOffPage

    @override
    async def next_page(self, captured: Sequence[Captured]) -> Page:
        """Use the received packet to turn off. Raise UserError if it encodes a state."""
        proof = self.before.proof
        [(protocol, fields)] = proof.claims.items()
        fields = await async_with_off(self.hass, protocol, fields, captured[0].packet)
        proof = await replace(proof, claims={protocol: fields}).async_with_rule(self.hass)
        return self.before if proof.rule is None else await take_proof(self, proof, proof.rule)


@dataclass(repr=False)
class ReplaceOffPage(OnePressPage, DraftPage):
    """Listens for the press that turns it off, in case the packet of the library does not work."""

    step = "own_off"
    to_press = "press_off"

    @override
    async def next_page(self, captured: Sequence[Captured]) -> Page:
        """Replace the packet to turn off by the received one. Raise UserError if it is a state."""
        device = self.device
        press, note = captured[0].packet, (await common_texts(self.hass))["own_off_kept"]
        if isinstance(self.draft.rule, BitRule):
            decode = partial(self.draft.rule.decode, press)
            state = await self.hass.async_add_executor_job(decode)
            if isinstance(state, State):
                words = await async_words(self.hass)
                raise UserError("not_as_asked", heard=words.state(state), asked=words.state(OFF))
            taught = replace(self.draft.rule, off=bytes(press))
            data = await self.hass.async_add_executor_job(taught.as_data)
            if (lesson := await self.owner.lesson_of_rule()) is not None:
                off = KeptPress(state=OFF, packet=press, twice=True)
                lesson = replace(lesson, record=lesson.record.in_place(off))
            device = replace(device, rule=Taught(data=data))
            return self.owner.update_draft(
                self.draft.with_device(device, rule=taught, note=note, lesson=lesson)
            )
        rule = device.rule
        assert isinstance(rule, Protocol)  # noqa: S101 - for mypy: others do not offer it
        fields = await async_with_off(self.hass, rule.name, rule.fields, press)
        device = replace(device, rule=replace(rule, fields=fields))
        rule_with_off = await async_rule_of(self.hass, device)
        return self.owner.update_draft(
            self.draft.with_device(device, rule=rule_with_off, note=note)
        )


async def async_with_off(
    hass: HomeAssistant, protocol: str, fields: Fields, press: bytes
) -> Fields:
    """Return the fields with `press` as packet to turn off. Raise UserError if it is a state."""
    reading = await hass.async_add_executor_job(PROTOCOLS[protocol].read, press)
    if reading is not None and reading.state is not OFF:
        words = await async_words(hass)
        raise UserError(
            "not_as_asked",
            heard=f"{protocol}: {words.set_to(reading.state, reading.unit)}",
            asked=words.state(OFF),
        )
    return with_pressed_off(fields, press)


def _narrow(claims: Claims, press: bytes, number: int, words: Words) -> tuple[Claims, str]:
    """Return the claims that fit one more press, and its meaning in the first of them.

    The last press leaves a single claim. Raise UserError if none fits, or the last leaves several.
    """
    readings_by_name, decoded = readings(press), meaning(press)
    if not readings_by_name:
        raise UserError("no_state_heard", heard=words.meaning(decoded))
    fitting: dict[str, Fields] = {}
    unexplained: list[str] = []
    for name, reading in readings_by_name.items():
        if _matches_request(reading.state, number) and (number == 0 or name in claims):
            common_fields = (
                reading.shared_fields(claims[name]) if name in claims else reading.fields
            )
            if common_fields is None:
                unexplained.append(name)
            else:
                fitting[name] = common_fields
    texts = {
        name: f"{name}: {words.set_to(reading.state, reading.unit)}"
        for name, reading in readings_by_name.items()
    }
    if not fitting and unexplained:
        celsius, fahrenheit = REQUESTED_DEGREES[0]
        raise UserError(
            "more_than_state",
            heard=list_names((texts[name] for name in unexplained), separator="; "),
            asked=f"{celsius} °C ({fahrenheit} °F)",
        )
    if not fitting:
        celsius, fahrenheit = REQUESTED_DEGREES[number]
        raise UserError(
            "not_as_asked",
            heard=list_names(texts.values(), separator="; "),
            asked=f"{words.mode(MODE)}, {celsius} °C ({fahrenheit} °F)",
        )
    if number + 1 == len(REQUESTED_DEGREES) and len(fitting) > 1:
        if decoded is None or decoded.protocol not in fitting:
            raise UserError("several_protocols", protocols=list_names(fitting))
        fitting = {decoded.protocol: fitting[decoded.protocol]}
    name = next(iter(fitting))
    if number + 1 == len(REQUESTED_DEGREES):
        fitting[name] = PROTOCOLS[name].without_defaults(
            readings_by_name[name].state, fitting[name]
        )
    return fitting, texts[name]


def _matches_request(state: State | Off, number: int) -> bool:
    return (
        state is not OFF and state.mode == MODE and state.temperature in REQUESTED_DEGREES[number]
    )
