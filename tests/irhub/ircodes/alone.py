"""A pytest plugin for an environment without Home Assistant: `-p tests.irhub.ircodes.alone`.

`custom_components/irhub/__init__.py` needs Home Assistant, `ircodes` in the same folder does not.
So the package around it is replaced by one with the same folder but without that file's code.
"""

from pathlib import Path
import sys
from types import ModuleType

from hypothesis import settings

import custom_components

around = ModuleType("custom_components.irhub")
around.__path__ = [str(Path(custom_components.__file__).parent / "irhub")]
sys.modules[around.__name__] = around

# On a busy machine any example may take long.
settings.register_profile("unhurried", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=25)  # scripts/test --ircodes
settings.load_profile("unhurried")
