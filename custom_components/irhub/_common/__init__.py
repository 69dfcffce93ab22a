"""What the integrations of this package need alike.

Written once, in `common/`; `scripts/lint --fix` copies what an integration imports into its
`_common/`, since each is installed alone.
"""
