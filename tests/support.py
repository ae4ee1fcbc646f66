"""What several tests share: places of files, real data, and stand-ins for what callers hold."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
DATA = ROOT / "tests" / "data"
SPEC = ROOT / "spec"
EXAMPLES = SPEC / "examples"
