"""Print, as JSON, how this environment's Home Assistant installs custom integrations."""

from importlib import import_module
import json
from pathlib import Path
from typing import Any

import homeassistant
from homeassistant import loader
from homeassistant.const import __version__


def texts(path: Path) -> set[str]:
    """Return every text of a file of translations."""

    def leaves(value: Any) -> set[str]:  # noqa: ANN401  (JSON)
        if isinstance(value, dict):
            return set().union(*map(leaves, value.values()))
        return {str(value)}

    return leaves(json.loads(path.read_text(encoding="utf-8")))


def main() -> None:
    """Print its name, and the texts of its pages if it is built in."""
    blocked = loader.BLOCKED_CUSTOM_INTEGRATIONS.get("hacs")
    found: dict[str, Any] = {"version": __version__, "name": "HACS", "texts": []}
    if blocked is not None:
        domain = getattr(blocked, "replaced_by", None) or "nothing"
        folder = Path(homeassistant.__file__).parent / "components" / domain
        found["name"] = json.loads((folder / "manifest.json").read_text())["name"]
        frontend = import_module("hass_frontend")  # in the newest host only
        pages = Path(str(frontend.__file__)).parent / "static/translations" / domain
        [english] = pages.glob("en-????????????????????????????????.json")
        found["texts"] = sorted(texts(english))
    print(json.dumps(found))  # noqa: T201  (its purpose)


main()
