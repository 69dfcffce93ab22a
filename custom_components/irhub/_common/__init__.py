"""What the integrations of this package need alike.

Written here, once; `scripts/lint --fix` copies it into each integration as `_common/`, since
each is installed alone.
"""
