# Home Assistant runs on probatio from 2026.9 on, and gives it voluptuous's name, too. The
# types are those of its own hints then.
from probatio import *
