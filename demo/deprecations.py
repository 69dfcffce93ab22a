"""Find Home Assistant's log lines about deprecated uses by our integrations."""

from collections.abc import Collection
import re


def deprecated_uses(log: str, integrations: Collection[str]) -> list[str]:
    """Return the lines that report a deprecated use by one of these integrations.

    Home Assistant names it in one of these forms:

        Detected that custom integration 'irhub' calls …
        Detected blocking call to … by custom integration 'irhub' at …
        The deprecated constant … was used from irhub. … please report it …
        Entity light.lamp (<class 'custom_components.irhub.light.Light'>) … is deprecated …
    """
    names = "|".join(map(re.escape, integrations))
    forms = (
        rf"Detected .*\bcustom integration '({names})'",
        rf"The deprecated .* from ({names})\..* ?[Pp]lease ",
        rf"\bcustom_components\.({names})\b.*(deprecated|will (be removed|stop working))",
    )
    reports = re.compile("|".join(forms))
    return [line for line in log.splitlines() if names and reports.search(line)]
