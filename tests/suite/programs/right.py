"""Right: what refmc itself solves."""

import sys

from refmc.cli import main

sys.exit(main(["solve", "-"]))
