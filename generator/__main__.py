"""`python -m generator`: add releases, regenerate, check and report."""

from __future__ import annotations

import sys


def run() -> int:
    """Run the command; says which package is missing where one is."""
    try:
        from generator.cli import main
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("rich", "tomli"):
            raise
        print(
            f"generator: the package {package} is missing: pip install {package}", file=sys.stderr
        )
        return 1
    return main()


if __name__ == "__main__":
    sys.exit(run())
