"""Templates in announcements: bombs are refused, what devices really announce is not."""

import pytest

from custom_components.mqtt_binary.announced_template import MAX_CHARACTERS, why_refused


@pytest.mark.parametrize(
    ("template", "refused"),
    [
        ("{{ 9**9**9 }}", "**"),
        ("{{ 2**x }}", "**"),
        ("{{ 'x' * 1000000000 }}", "*"),
        ("{{ 'x' * 99999 * 99999 }}", "*"),
        ("{{ value * value_json.n }}", "*"),
        ("{{ value | float(value) * 99999 }}", "*"),
        ("{{ value | float(default=value) * 99999 }}", "*"),
        ("{% if 1 %}{{ 2 * 999999 }}{% endif %}", "100000"),
        ("{{ '%999999999d' % 1 }}", "%"),
        ("{% for a in value %}{% for b in value %}{% endfor %}{% endfor %}", "loop"),
        (
            "{% for a in value %}{% if a %}{% for b in a %}{% endfor %}{% endif %}{% endfor %}",
            "loop",
        ),
        ("{% for a in value recursive %}{{ loop(value) }}{% endfor %}", "loop"),
        ("{% for a in range(99) %}{% endfor %}", "range"),
        ("{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}", "macro"),
        ("{% block b %}{{ self.b() }}{% endblock %}", "block"),
        ("{% from 'x' import y %}", "import"),
        ("{{ 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' | regex_match('(a+)+$') }}", "regex_match"),
        ("{{ value is match('(a+)+$') }}", "match"),
        ("{{ 'x' | center(999999999) }}", "center"),
        ("{{ 'x'.ljust(999999999) }}", "ljust"),
        ("{{ value['ljust'](999999999) }}", "no name"),
        ("{% set states = value.ljust %}{{ states(999999999) }}", "states()"),
        ("{% for now in [value.ljust] %}{{ now(999999999) }}{% endfor %}", "now()"),
        ("{{ (1).to_bytes(9999999999) }}", "to_bytes"),
        ("{{ [1] | batch(999999999, 'x') | list }}", "batch"),
        ("{{ value | map('center', 999999999) | list }}", "map"),
        ("{{ value | map(*['center', 999999999]) | list }}", "map"),
        ("{{ value | select('match', '(a+)+$') | list }}", "select"),
        ("{{ value | selectattr('x', value, 1) | list }}", "selectattr"),
        ("{{ value | reject(*['match', '(a+)+$']) | list }}", "reject"),
        ("{{ 1 | round(999999999, 'floor') }}", "round"),
        ("{{ 1 | round(-999999999) }}", "round"),
        ("{% set a = value %}" + "{% set a = a ~ a %}" * 40, "'a' in what another"),
        ("{% set a = value %}{% set b %}{{ a }}{{ a }}{% endset %}{{ b }}", "'a' in what another"),
        (
            "{% set a = value %}{% set b | default(a ~ a) %}{% endset %}{{ b }}",
            "'a' in what another",
        ),
        ("{% with a = value %}{% with b = a ~ a %}{{ b }}{% endwith %}{% endwith %}", "'a' in"),
        ("{% set n = namespace(x=value) %}{% set n.x = n.x ~ n.x %}", "namespace"),
        ("{{ 'x' | replace('x', 'xx') | replace('x', 'xx') }}", "replace"),
        ("{{ 'x'.replace('x', 'xx') | replace('x', 'xx') }}", "replace"),
        ("{{ value | tojson | tojson }}", "tojson"),
        ("{% filter replace('x', 'xx') %}{{ value | join(value) }}{% endfilter %}", "join"),
        ("{{ " + "(" * 2_000 + "1" + ")" * 2_000 + " }}", "recursion"),
        (" " * (MAX_CHARACTERS + 1), "characters"),
    ],
)
def test_bombs(template: str, refused: str) -> None:
    assert refused in (why_refused(template) or "")


@pytest.mark.parametrize(
    "template",
    [
        "{{ value | int * 100 }}",
        "{{ value | float(0) * -0.5 > 3 }}",
        "{{ (value | int + 1) % 2 }}",
        "{{ value }}",
        "{{ oops",
        "ON",
        "{{ value_json.time > 1700000000 }}",
        "{% for a in value_json %}{{ a.state if a.id == 3 }}{% else %}OFF{% endfor %}",
        "{% for a in x %}{% endfor %}{% for a in x %}{% endfor %}",
        '{% if is_state(entity_id, "on") %}OFF{% else %}ON{% endif %}',
        "{{ 'ON' if value_json.water_leak else 'OFF' }}",
        "{{ value_json.open | is_defined }}",
        "{{ value_json['update']['state'] == 'available' }}",
        "{% set x = value_json.x | int(0) %}{{ 'ON' if x > 5 else 'OFF' }}",
        "{{ iif(value_json.status | int | bitwise_and(4) > 0, 'ON', 'OFF') }}",
        "{{ (now() - as_datetime(value_json.seen)).total_seconds() < 3600 }}",
        "{{ value_json.get('a', {}).get('b') | default('OFF') | upper | trim }}",
        "{{ value.split(',')[1].startswith('x') }}",
        "{{ (value | replace('\\'', '\"') | from_json).state }}",
        "{{ value_json.t | float | round(1) >= 21.5 }}",
        "{{ value_json | to_json }}",
        "{{ value_json | map(attribute='on') | select | list | count > 0 }}",
        "{{ value_json | selectattr('id', 'eq', 3) | map(attribute='state', default=0) | sum }}",
        "{{ (value_json | rejectattr('gone') | sort(attribute='time') | last).state }}",
    ],
)
def test_no_bombs(template: str) -> None:
    assert why_refused(template) is None
