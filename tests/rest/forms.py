"""Forms in YAML."""

FORMS = [
    "headers: {X-A: one, X-B: 'two: three'}",
    "headers:\n- X-A: one\n- X-B: 'two: three'",
    "headers:\n- 'X-A: one'\n- 'X-B: two: three'",
    "headers: |\n  X-A: one\n\n  X-B: two: three\n",
]
