"""Random configurations."""

from hypothesis import HealthCheck, Phase, settings

FUZZ = settings(
    max_examples=1_000,
    deadline=None,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)
