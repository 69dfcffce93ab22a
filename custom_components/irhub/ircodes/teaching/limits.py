"""Costs and limits of teaching.

A cost is a measure of unlikelihood of a hypothesis. Costs are only compared with each other; an
exceptional press costs as much as three or four usual properties of remote controls. All values
were chosen with `python -m benchmarks.measure_teaching` on public remote controls, for the most
states offered with the fewest wrong ones. A change shows in benchmarks/taught.json, which contains
the results for 38 of them.
"""

import re
from typing import Final

# Costs: hypotheses about one mode

COST_NO_EFFECT: Final = 0.75
"""An attribute flips nothing in this mode (dry has one fan speed, whatever is displayed)."""
COST_OWN_EFFECT: Final = 4.5
"""An attribute flips other bits in this mode than in the base mode."""
COST_OTHER_BITS: Final = 1.5
"""Additional, if some of those bits are never flipped by the attribute in the base mode."""
COST_EXTRA: Final = 3.0
"""Some states of a mode flip additional bits."""
COST_EXTRA_OF_PRESS: Final = 0.001
"""Additional, for each press with the term: a term in most states is usual, not extra."""
COST_EXTRA_NARROWER: Final = 0.5
"""Additional, for each further value that these states have in common."""
COST_EXTRA_FROM_TEMPERATURE: Final = 1.0
"""Additional, if they have a common value and begin or end at a temperature, or encode temperatures
differently."""
COST_TOGGLING: Final = COST_EXTRA + COST_EXTRA_FROM_TEMPERATURE
"""A value sets another attribute."""
COST_TOGGLING_MORE, MAX_TOGGLING = 0.5, 3
"""Additional, for each further value that sets the same attribute, or attribute that a value sets;
and their maximum number."""
COST_NOT_INHERITED: Final = 1.0
"""A term that sets an attribute in the base mode does not apply in this one."""
COST_SETS_WITHOUT_EFFECT: Final = 0.5
"""It applies although its values have no other effect in this one."""
COST_EXTRA_ONCE: Final = 1.0
"""Less, if states with the same values have the term in another mode, too."""
COST_EXTRA_IGNORED_TEMPERATURE: Final = 1.0
"""Additional, if they begin at a temperature although temperatures have no effect in the mode."""
COST_OUTLIER: Final = 3.5
"""A single press contradicts all others."""
COST_REPEATED_OUTLIER: Final = 1.0
"""Additional, if that press was received twice."""
COST_SEVERAL_WAYS_TO_COUNT: Final = 1.0
"""Temperatures may be encoded in more than one way."""
COST_CLIPPED_TEMPERATURES: Final = 4.0
"""The lowest or the highest temperatures send what another one does."""
COST_NO_WAY_TO_COUNT: Final = 6.0
"""Temperatures have no known encoding."""

# Which hypotheses are kept, and what they are good for

SIMILAR_COST: Final = 0.9
"""Hypotheses within this cost of the cheapest one must agree with it."""
COST_NOT_UNDERSTOOD: Final = 8.0
"""From this cost on, the hypothesis of a mode predicts nothing."""
MAX_UNEXPLAINED: Final = 1
"""Presses of a mode that contradict all others and were received twice: with more of them nothing
is predicted."""
MAX_HYPOTHESES: Final = 24
"""Maximum number of hypotheses kept for a mode."""
MAX_BASE_HYPOTHESES: Final = 17
"""Maximum number of hypotheses of the base mode tried for the encoding of temperatures."""
LEAVE_OUT_FROM: Final = 7
"""Minimum number of presses of the base mode for leaving one out if temperatures do not fit it."""
VALUES_TESTED: Final = 3
"""Number of values of an attribute (or all it has) that must be pressed in a mode."""
VALUES_ONE_MISTAKE_HIDES: Final = 2
"""Values of an attribute, all with the same message, of which one may have been another button."""
MODES_ALIKE: Final = 3
"""Number of modes in which a value must be pressed before it is taken to be the same in all."""
CONFIRMATIONS: Final = 2
"""Number of presses of a mode that must have been predicted by the others."""
MODES_LIKE: Final = 2
"""Number of other modes like the base mode, from which on a further mode like it needs one press
less."""
CONFIRMATIONS_OF_MODES_LIKE: Final = 3
"""Minimum number of presses of those modes that the base mode must have predicted."""

# Ignored bits: a clock, a measured temperature, the last button

COST_IGNORED: Final = 2.0
"""Minimum reduction of the total cost for ignoring bits."""
MAX_IGNORED_ROUNDS, MAX_IGNORED_TRIALS = 4, 18
"""Maximum number of times that bits are added to the ignored ones, and of sets of bits tried."""
CHANGES_OF_CLOCK: Final = 4
"""Maximum number of times that half a byte changes as the higher digit of a clock does."""
HIDDEN_CHECK_VALUES: Final = 4
"""Minimum number of values for an unexplained byte to be a possible check of an unknown kind."""
UNCOUNTED_FROM: Final = 6
"""Minimum number of temperatures for ignoring a nibble that does not count them."""

# Checks

CHECKED_FROM, MAX_WRONG_CHECKS = 9, 2
"""Minimum number of messages for tolerating wrong checks, and their maximum number."""

# Questions

PRESSES: Final = 30
"""Maximum number of presses in a lesson."""
SAME_AGAIN: Final = 4
"""Number of presses of the first state, if they differ."""
LATE_REPEATS, LATE_GAP = 2, 3
"""Times that it is pressed again later, if bits seem volatile; presses of others before that."""
TEMPERATURES_FIRST: Final = 5
"""Number of temperatures of the base mode requested before other modes."""
PRESSES_BESIDE_VALUES: Final = 8
"""Presses of the first state and of off, and proofs, in the estimated number of presses needed."""
STOPS: Final = 5
"""Parts of the range of temperatures: a state on the way to another one is at least one of them
away from those that were pressed."""
PRESSES_PER_MODE: Final = 3
"""Number of presses that a mode other than the base mode needs at first."""
LEFT_FOR_ROUNDS: Final = 2
"""Minimum number of presses beyond PRESSES_PER_MODE for each mode. With fewer, a mode is finished
before the next one; otherwise each is pressed once before one is pressed again."""
PLAIN_FIRST: Final = 2
"""Presses of a mode before one with a value such as turbo, if that has an effect on others."""
PRESSES_TO_CONFIRM: Final = 7
"""Maximum number of presses of a mode for confirming it."""
PRESSES_TO_EXPLAIN: Final = 5
"""Number of temperatures in the estimated length of a lesson."""
MISSING_STATES_OF_MODE: Final = 3
"""Number of states that cannot be sent before the mode is left out."""
FOREIGN_STATES: Final = 3
"""Number of states with a value, all received with another layout, after which the value is not
asked for any more."""
STATES_IN_OTHER_LAYOUT: Final = 2
"""States with another layout, one received twice, from which on it is that of their values."""
PRESSES_OF_LAYOUT, PRESSES_OF_VALUE_IN_LAYOUT, MOST_IN_OTHER_LAYOUT = 5, 3, 8
"""Presses in another layout: needed in all, needed for each of its values, and maximum."""
LEAVE_OUT_OF_LAYOUT_FROM: Final = 5
"""Minimum number of presses in another layout for leaving out one that contradicts the others."""
GOOD_BESIDE_OUTLIER: Final = 3
"""Presses that differ from an outlier by temperature only and show that it is the only one."""

# Proof: presses that are predicted before they are received

PROOFS: Final = 4
"""Number of correct predictions that a lesson needs in total."""
PROOFS_OF_BASE: Final = 3
"""Number of those in the base mode; fewer, if there are some in other modes."""
PROOFS_AFTER_REFUTED: Final = 1
"""Number of those in a mode in which a prediction was wrong,"""
PRESSES_OF_TERM: Final = 3
"""unless so many presses have the extra term that explains that press now."""
MANY_TEMPERATURES: Final = 20
TEMPERATURES_PROVEN, MANY_TEMPERATURES_PROVEN = 2, 5
"""Number of temperatures that must be predicted before any press had them, and that number if a
remote control has more than MANY_TEMPERATURES."""
TEMPERATURES_THAT_COUNT: Final = 2
"""Number of temperatures at which a value must be pressed, in a mode where only some values make
temperatures effective."""
VALUES_TO_SHOW_INDEPENDENCE: Final = 2
"""Fan speeds with which turbo must be pressed, until it is taken to be the same with all."""
LEFT_TO_PROVE: Final = 6
"""Number of remaining presses from which on the base mode is proven first: without it nothing is
offered."""
LEVELS_IN_RESERVE: Final = 3
"""Maximum number of presses that are reserved for levels that a single press shows: without a
second press they are not offered."""
LEFT_TO_CONFIRM: Final = 3
"""Number of remaining presses from which on unconfirmed presses are repeated: states that only
they show are not offered."""

# What a proof is worth. The unit: a pair of values that were never pressed together is worth 1.

WORTH_ASKING: Final = 4.0
"""Minimum worth of a further proof once enough is proven; that of a value in a mode in which it was
not pressed."""
WORTH_EFFECT: Final = 0.5
"""Additional, if other values of its attribute have an effect in that mode."""
WORTH_NEW_COLUMN: Final = 1.5
"""The same values were not pressed at any temperature."""
WORTH_BASE_MODE, WORTH_OPEN_MODE = 18.0, 9.0
"""The mode lacks proofs."""
WORTH_NEW_TEMPERATURE: Final = WORTH_ASKING + 1
"""The temperature was never pressed, and too few were predicted."""
WORTH_SPECIAL_ONCE: Final = 3.0
"""A value such as turbo was received at one other temperature only."""
WORTH_REACHING: Final = 4 * WORTH_ASKING
"""Times the share of the mode's temperatures that are then between pressed ones for the first time:
a fourth of them is worth a press."""
WORTH_END_TEMPERATURE, WORTH_TEMPERATURE = 0.4, 0.1
"""A value was not pressed with the lowest or the highest temperature; with another one."""
WORTH_OF_NEW_VALUE: Final = 4.0
"""In another layout: a mode or value that was not pressed in it. A bit that must be tested is worth
1, the first and the second time."""
WORTH_SEVERAL_CHECKS: Final = 5.0
"""Checks have several formulas that differ here."""
WAITING_ELSEWHERE: Final = 0.1
"""Additional for each mode that lacks a value, if one more press makes MODES_ALIKE modes with it:
then it is taken to be the same in all of them."""
WAITING_KEY: Final = 0.001
"""Reduction of a press's worth for each key that it takes, as a share of all states."""
KEYS_FOR_OTHER_VALUES: Final = 2
"""Keys that are added for each press of the mode with the same values at any temperature: a press
with other values shows more;"""
KEYS_FOR_USUAL: Final = 0.5
"""and for each unit of the distance to the usual state of the mode."""
WORTH_OF_KEY: Final = 0.06
"""Reduction of a press's worth for each key that it takes to set its state on the remote control.
If it were larger, neighbouring states would be asked for, which prove little."""
MAX_WORTH_PREDICTED: Final = WORTH_SEVERAL_CHECKS + 6 * WORTH_ASKING
"""Maximum worth that a state's prediction adds: several checks, and presses that it confirms."""

PLAIN: Final = re.compile(
    r"(?:level|speed|fan)?[ _]?\d"
    r"|(?:(?:super|ultra|very)?[ _]?"
    r"(?:lowest|low|lo|mid|medium|med|middle|highest|high|hi|minimum|min|maximum|max))+",
    re.IGNORECASE,
)
"""Names of values that are the same in each mode; others (auto, quiet) may be different there."""
SPECIAL: Final = re.compile(
    r"turbo|power|boost|strong|jet|quiet|silent|mute|whisper|sleep|night|eco|save", re.IGNORECASE
)
"""Names of values that are more than a speed: they may have bits of their own, also in modes in
which speeds have no effect."""

# What a press of another mode is worth. The unit: a state that may become known by it.

WAITING_PLAIN, WAITING_UNUSUAL, WAITING_SPECIAL = 0.0, 0.9, 1.0
"""Share of a value's states that wait for its press, by its name, until enough values are pressed
(more then: those that the mode has, in units of PRESSES_PER_MODE);"""
WAITING_KNOWN: Final = 0.1
"""and after that, if all is as in the base mode."""
WAITING_END, WAITING_UNTESTED, WAITING_UNPROVEN = 0.3, 0.3, 0.2
"""Share of a mode's states that wait for a temperature: the lowest or highest, while too few are
pressed, and while too few were predicted."""
LEAST_NEEDED: Final = 0.01
"""Share of all states that a press must be good for."""
