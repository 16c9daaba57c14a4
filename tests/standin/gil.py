"""Which functions let other Python threads run during the C call: the stand-in blocks each one.

Run as a program like drive.py. The main thread ends the block of a function that releases the GIL.
A function that keeps the GIL is let go by the stand-in itself, after a while. Prints both lists as
JSON.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from tests.standin.drive import MODULES, start
from tests.standin.expected import read


def _call(
    bound: Callable[..., Any],
    arguments: list[Any],
    keywords: dict[str, Any],
    errors: list[BaseException],
) -> None:
    try:
        bound(*arguments, **keywords)
    except BaseException as error:
        errors.append(error)


def main(api: str, version: str, path: str) -> int:
    """Call all functions that no newer release has in the same form, each on a second thread."""
    driver = start(api, version, path)
    # Until a function that can wait has run, every call releases the GIL, as it may start the
    # driver.
    synchronize = "CtxSynchronize" if api == "cuda_driver" else "DeviceSynchronize"
    int(getattr(driver.module, f"{MODULES[api]}{synchronize}")())
    table = read(api)
    found: dict[str, list[str]] = {"gives": [], "keeps": [], "failed": []}
    for name in driver.forms.last():
        if name not in table.functions:
            continue
        if not hasattr(driver.module, name):
            continue
        driver.standin.reset()
        expected = table.functions[name]
        call = driver.prepare(expected, "low")
        arguments = [call.values[one.name] for one in expected.inputs]
        keywords = {one.python_name: call.values[one.name] for one in expected.keywords}
        # Only a short block where the GIL is expected to be kept, since the main thread is stopped
        # then.
        driver.standin.block(True, 0.05 if name in table.keeps else 20)
        bound = getattr(driver.module, name)
        errors: list[BaseException] = []
        thread = threading.Thread(target=_call, args=(bound, arguments, keywords, errors))
        thread.start()
        while thread.is_alive() and not driver.standin.waiting():
            time.sleep(0)
        driver.standin.block(False)
        thread.join()
        if errors:
            found["failed"].append(f"{name}: {errors[0]}")
        else:
            found["keeps" if driver.standin.overdue() else "gives"].append(name)
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
