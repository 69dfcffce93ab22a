"""The home of the REST tests, and the ways to write an entity."""

import pytest

from .home import FORMS, Form, RestHome


@pytest.fixture
def home(rest_home: RestHome) -> RestHome:
    """Return a home with an endpoint."""
    return rest_home


@pytest.fixture(name="form", params=FORMS, ids=str)
def form_fixture(request: pytest.FixtureRequest) -> Form:
    """Return each way to write an entity."""
    form: Form = request.param
    return form
