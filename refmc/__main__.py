"""python -m refmc"""

import sys

from refmc.cli import main

sys.exit(main())
