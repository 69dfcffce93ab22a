"""What a template stumbled over, without what it was given."""

import re

from homeassistant.exceptions import TemplateError
from homeassistant.helpers.template import Template

# From the first quote to the last: a payload may have quotes of its own.
_QUOTED = re.compile(r"[\"'].*[\"']", re.DOTALL)
_UNDEFINED = re.compile(r"'(?:[\w.]+ object|([\w.]+))' (?:is undefined|has no attribute '([^']*)')")


def reason_of(err: TemplateError, template: Template | None) -> str:
    """Return the error without any text that the template took from a payload."""
    return without_payload(str(err), "" if template is None else template.template)


def without_payload(message: str, source: str) -> str:
    """Return what Jinja complains of; of quoted texts only names in the template's source."""
    found = _UNDEFINED.search(message)
    if found and all(name is None or name in source for name in found.groups()):
        return found[0]
    return _QUOTED.sub("'…'", message)
