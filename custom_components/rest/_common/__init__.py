"""Code shared by the integrations of this repository.

The source is in `common/`. `scripts/lint --fix` copies the modules that an integration imports
into its `_common/`, since each integration is installed alone.
"""
