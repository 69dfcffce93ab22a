"""State attributes from JSON messages."""

from typing import Any

from homeassistant.components.mqtt import ReceiveMessage
from homeassistant.exceptions import TemplateError
from homeassistant.helpers.json import json_bytes
from homeassistant.helpers.template import Template

from .core_mqtt import BLOCKED_ATTRIBUTES
from .log_once import Complaints
from .rendering import NOT_JSON, PayloadTooLongError, Renderer
from .template_failure import reason_of


def read_attributes(
    message: ReceiveMessage,
    template: Template | None,
    renderer: Renderer,
    complaints: Complaints,
) -> dict[str, Any] | None:
    """Return the attributes of a message, without those that would shadow the state's own.

    None, with a complaint, if it is not a JSON dictionary that Home Assistant can store.
    """
    problem: object
    try:
        value = renderer.value_of(message.payload)
        parsed = renderer.parse(value if template is None else renderer.render(template, value))
        if isinstance(parsed, dict):
            attributes = {
                name: content for name, content in parsed.items() if name not in BLOCKED_ATTRIBUTES
            }
            # Nested too deeply for the state machine to pass on, though not to be read.
            json_bytes(attributes)
            complaints.settle("attributes")
            return attributes
        problem = "Erroneous JSON" if parsed is NOT_JSON else "JSON result was not a dictionary"
    except TemplateError as err:
        problem = reason_of(err, template)
    except (UnicodeError, PayloadTooLongError, TypeError) as err:
        problem = err
    complaints.about("attributes", message.topic, problem)
    return None
