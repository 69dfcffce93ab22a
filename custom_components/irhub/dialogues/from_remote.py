"""An air conditioner from its remote control, without a file: proved by two presses.

Where the library has no packet that turns it off, a third press gives that.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, override

from homeassistant.config_entries import SubentryFlowResult
import voluptuous as vol

from ..devices.device import Protocol
from ..devices.rules import protocol_rule
from ..entities.device_setup import async_rule_of
from ..errors import UserError, common_texts, list_names
from ..hub.library import Capability
from ..ircodes import (
    CARRIED,
    OFF,
    PRESSED_OFF,
    PROTOCOLS,
    Fields,
    Off,
    ProtocolRule,
    State,
    agreed,
    meaning,
    readings,
    to_base64,
    unit_of,
)
from .appliance_step import Then
from .which_file import WhichFileFlow
from .words import Words, words

MODE: Final = "cool"
ASKED: Final = ((24, 75), (25, 77))
"""What the user is asked to set, one after the other, in °C or °F."""

type Claims = Mapping[str, Fields]
"""Protocols in which all presses have said what was asked for, and what else they said."""


class FromRemoteFlow(WhichFileFlow):
    """Finds the protocol in which two presses say what the user was asked to press."""

    _claims: Claims
    _number: int
    """How many presses were as asked."""
    _proved: ProtocolRule | None = None
    """The rule, once there is one that can turn off, too."""
    _said = ""
    """What was heard last."""

    @abstractmethod
    async def _take_protocol(
        self, protocol: str, fields: Fields, rule: ProtocolRule
    ) -> SubentryFlowResult:
        """Go on with a protocol that is proved."""

    async def async_step_from_remote(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Say what will be asked for; the remote control is prepared for that."""
        if user_input is None:
            return self.async_show_form(step_id="from_remote", data_schema=vol.Schema({}))
        self._claims, self._number, self._said, self._proved = {}, 0, "", None
        return await self.async_step_hear_state()

    async def async_step_hear_state(
        self, _user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Listen to one press after the other, as long as they are as asked."""
        while (number := self._number) < len(ASKED):
            celsius, fahrenheit = ASKED[number]
            asked = f"{celsius} °C ({fahrenheit} °F)"
            shown = self._listening(
                "hear_state",
                "set_state",
                self._narrow,
                then="state_heard",
                asked=asked,
                heard=self._said,
            )
            if shown is not None:
                return shown
            if self._problem is not None:
                break
        self._hearing = None  # its press is taken; the next page that listens begins anew
        return self.async_show_progress_done(next_step_id="state_heard")

    async def _narrow(self, press: bytes) -> None:
        """Note what is left of the claims by one more press. Raise as `_narrowed`."""
        of_language = await words(self.hass)
        narrow = partial(_narrowed, self._claims, press, self._number, of_language)
        self._claims, self._said = await self.hass.async_add_executor_job(narrow)
        if self._number + 1 == len(ASKED):
            self._proved = await self._make_rule()
        self._number += 1

    async def async_step_state_heard(
        self, _user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Go on with the protocol, or say why the presses prove none."""
        problem = await self._problem_text("state_heard")
        if not problem or self._number == len(ASKED):
            if self._proved is None:
                return await self.async_step_ask_off()
            [(protocol, fields)] = self._claims.items()
            return await self._take_protocol(protocol, fields, self._proved)
        return self.async_show_menu(
            step_id="state_heard",
            menu_options=["from_remote", "teach", "which_file", "how"],
            description_placeholders={"problem": problem},
        )

    async def async_step_ask_off(
        self, _user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Offer to press off, for the library has no packet for that."""
        return self.async_show_menu(
            step_id="ask_off",
            menu_options=["hear_off", "from_remote", "teach", "which_file", "how"],
            description_placeholders={
                "heard": self._said,
                "problem": await self._problem_text("state_heard"),
            },
        )

    async def async_step_hear_off(
        self, _user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Listen to the press that turns it off."""
        if self._proved is None:
            shown = self._listening("hear_off", "press_off", self._keep_off, then="state_heard")
            if shown is not None:
                return shown
        self._hearing = None
        return self.async_show_progress_done(next_step_id="state_heard")

    async def _keep_off(self, press: bytes) -> None:
        """Keep the packet as it was heard. Raise UserError if it says a state."""
        [(protocol, fields)] = self._claims.items()
        self._claims = {protocol: await self._with_off(protocol, fields, press)}
        self._proved = await self._make_rule()

    async def _with_off(self, protocol: str, fields: Fields, press: bytes) -> Fields:
        """Return fields with the packet that turns it off. Raise UserError if it says a state."""
        read = await self.hass.async_add_executor_job(PROTOCOLS[protocol].read, press)
        if read is not None and read[0] is not OFF:
            of_language = await words(self.hass)
            raise UserError(
                "not_as_asked",
                heard=f"{protocol}: {of_language.set_to(read[0], unit_of(read[1]))}",
                asked=of_language.state(OFF),
            )
        return {**fields, PRESSED_OFF: to_base64(press)}

    @property
    @override
    def _then(self) -> Then:
        if isinstance(self._draft.rule, Protocol) and self._hub.can(Capability.LEARN):
            return {**super()._then, "own_off": self.async_step_own_off}
        return super()._then

    async def async_step_own_off(
        self, _user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Listen to the press that turns it off, for what the library has may not do that."""
        page = self._listening("own_off", "press_off", self._take_own_off, then="ready")
        return page or self.async_show_progress_done(next_step_id="ready")

    async def _take_own_off(self, press: bytes) -> None:
        """Send off as it was pressed. Raise UserError if it says a state."""
        draft = self._draft
        if isinstance(draft.rule, Protocol):
            fields = await self._with_off(draft.rule.name, draft.rule.fields, press)
            self._draft = replace(draft, rule=replace(draft.rule, fields=fields))
            self._rule = await async_rule_of(self.hass, self._draft)
            self._note = (await common_texts(self.hass))["own_off_kept"]

    async def _make_rule(self) -> ProtocolRule | None:
        """Return the rule of the protocol that is left; None if nothing turns it off."""
        [(protocol, fields)] = self._claims.items()
        rule = await self.hass.async_add_executor_job(protocol_rule, protocol, fields)
        return None if rule.off is None else rule


def _narrowed(claims: Claims, press: bytes, number: int, of_language: Words) -> tuple[Claims, str]:
    """Return what is left of the claims by one more press, and what it says in the first of them.

    The last press leaves one. Raise UserError if there is none, or if it is not known which.
    """
    read, meant = readings(press), meaning(press)
    if not read:
        raise UserError("no_state_heard", heard=of_language.meaning(meant))
    fit: dict[str, Fields] = {}
    unexplained: list[str] = []
    for name, (state, fields) in read.items():
        if _as_asked(state, number) and (number == 0 or name in claims):
            both = _in_both(claims[name], fields) if name in claims else fields
            if both is None:
                unexplained.append(name)
            else:
                fit[name] = both
    said = {
        name: f"{name}: {of_language.set_to(state, unit_of(fields))}"
        for name, (state, fields) in read.items()
    }
    if not fit and unexplained:
        celsius, fahrenheit = ASKED[0]
        raise UserError(
            "more_than_state",
            heard=list_names((said[name] for name in unexplained), separator="; "),
            asked=f"{celsius} °C ({fahrenheit} °F)",
        )
    if not fit:
        celsius, fahrenheit = ASKED[number]
        raise UserError(
            "not_as_asked",
            heard=list_names(said.values(), separator="; "),
            asked=f"{of_language.mode(MODE)}, {celsius} °C ({fahrenheit} °F)",
        )
    if number + 1 == len(ASKED) and len(fit) > 1:
        if meant is None or meant.protocol not in fit:
            raise UserError("several_protocols", protocols=list_names(fit))
        fit = {meant.protocol: fit[meant.protocol]}
    name = next(iter(fit))
    if number + 1 == len(ASKED):
        fit[name] = PROTOCOLS[name].beyond(read[name][0], fit[name])
    return fit, said[name]


def _in_both(before: Fields, fields: Fields) -> Fields | None:
    """Return what two presses say alike besides their states; None if other states are not known.

    What only one of them says is of that press.
    """
    alike = {key: value for key, value in fields.items() if before.get(key) == value}
    text = agreed(str(before.get(CARRIED, "")), str(fields.get(CARRIED, "")))
    if text is None:
        return None
    return {**alike, CARRIED: text} if text else alike


def _as_asked(state: State | Off, number: int) -> bool:
    return state is not OFF and state.mode == MODE and state.temperature in ASKED[number]
