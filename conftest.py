"""What every test needs before anything else is imported."""

# The test package brings an empty `custom_components` of its own. Ours must be
# the one that is imported first: otherwise Home Assistant silently loads core's
# `rest` instead of ours.
import custom_components  # noqa: F401  (imported for its effect)
