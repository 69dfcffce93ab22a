"""Prints what core's rest of this environment offers, as JSON. Runs in any environment."""

import importlib
import json
from pathlib import Path
from typing import Any

from homeassistant.components import rest
from homeassistant.components.rest import binary_sensor, schema, sensor

PLATFORM_NAMES = ("PLATFORM_SCHEMA", "PARALLEL_UPDATES", "SCAN_INTERVAL")


def keys(schema: Any) -> set[str]:  # noqa: ANN401  (one of two libraries' schemas)
    """Return the keys a schema takes, through All()."""
    if isinstance(schema, dict):
        return {str(key) for key in schema}
    if isinstance(inner := getattr(schema, "schema", None), dict):
        return keys(inner)
    return set().union(*(keys(part) for part in getattr(schema, "validators", ())), set())


def main() -> None:
    """Print it."""
    folder = Path(rest.__file__).parent
    modules = {}
    for path in sorted(folder.glob("*.py")):
        module = importlib.import_module(f"homeassistant.components.rest.{path.stem}")
        own = [
            name for name in vars(module) if name.startswith(("async_setup", "async_get_service"))
        ]
        own += [name for name in vars(module) if name in PLATFORM_NAMES or name.endswith("Flow")]
        modules[path.stem] = sorted(own)
    manifest = json.loads((folder / "manifest.json").read_text())
    print(  # noqa: T201  (its purpose)
        json.dumps(
            {
                "modules": modules,
                "keys": {
                    "sensor": sorted(keys(sensor.PLATFORM_SCHEMA)),
                    "binary_sensor": sorted(keys(binary_sensor.PLATFORM_SCHEMA)),
                    "block": sorted(keys(schema.COMBINED_SCHEMA)),
                },
                "requirements": [name.partition("==")[0] for name in manifest["requirements"]],
                "config_flow": manifest.get("config_flow", False),
                "dependencies": manifest.get("dependencies", []),
                "texts": json.loads((folder / "translations/en.json").read_text()),
                "icons": json.loads((folder / "icons.json").read_text()),
                "services": (folder / "services.yaml").read_text(),
            }
        )
    )


main()
