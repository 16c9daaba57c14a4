"""`python -m generator`: add releases, regenerate, check and report."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType


def _end(number: int, _: FrameType | None) -> None:
    sys.exit(128 + number)


def run(
    arguments: Sequence[str] | None = None,
    prog: str = "python -m generator",
    root: Path | None = None,
) -> int:
    """Run the command as `generator.cli.main` does; says which package is missing where one is."""
    signal.signal(signal.SIGTERM, _end)  # else it would end in the middle of writing files
    try:
        from generator.cli import ROOT, main
    except KeyboardInterrupt:  # during the imports; later, main answers
        return 130
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("rich", "tomli", "cattrs"):
            raise
        print(f"{prog}: the package {package} is missing: pip install {package}", file=sys.stderr)
        return 1
    gc.disable()  # a run leaves no garbage in circles, and a collection reads all of the models
    return main(arguments, prog, ROOT if root is None else root)


if __name__ == "__main__":
    sys.exit(run())
