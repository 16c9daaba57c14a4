"""Makes each runtime call that some work makes fail once; runs in a test's own interpreter."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator
from itertools import count

import PyGPU
from PyGPU import host

# The result of these is the requested data, not an error. They can't fail.
TELLING = ("PeekAtLastError", "GetLastError", "GetErrorName", "GetErrorString")


def api() -> str:
    """The API that the arrays use."""
    return "hip" if PyGPU.backend == "hip" else "cuda"


def functions() -> Iterator[str]:
    """Each function of the API that the host runtime implements, once."""
    for name, implemented in host.functions(api()).items():
        if implemented and not name.endswith(("_ptds", "_ptsz", "_spt", *TELLING)):
            yield name


def leaks(*kinds: str) -> list[str]:
    """Lists the leaks without addresses: of all kinds, or only lines that name one of `kinds`."""
    gc.collect()
    lines = [line.split(" at ")[0] for line in host.leaks().splitlines()]
    return sorted(line for line in lines if not kinds or any(kind in line for kind in kinds))


def sweep(
    work: Callable[[], object],
    settle: Callable[[str], object],
    left: tuple[str, ...] = (),
    before: Callable[[], object] = lambda: None,
    others: tuple[int, ...] = (),
) -> None:
    """Prints how many calls of each function `work` makes, and how many failures stayed silent.

    `work` either raises GPUError (of the failed call, or with a code in `others`) or returns
    whether it met an error. After each failure `work` must succeed. Once `settle` has cleaned up,
    there must be no more leaks of the kinds in `left` than before.
    """
    before(), work(), settle("")
    gc.collect()
    gc.freeze()  # from now on collections look only at what the work makes
    kept = leaks(*left)
    for name in functions():
        silent = 0
        for call in count(1):
            before()
            with host.fail(name, call, 999) as fault:
                heard, told = False, None
                try:
                    heard = bool(work())
                except PyGPU.GPUError as error:
                    told = error.error, str(error)
                gc.collect()
            if not fault.struck:
                break
            if told:
                assert told[0] in (999, *others), (name, call, told)
                assert re.match(r"[\w .]+(\(\))?: .*\(code \d+\)", told[1]), (name, call, told)
            silent += not (heard or told)
            assert not PyGPU.cudaGetLastError(), (name, call, "another's last error was changed")
            assert not PyGPU.cudaSetDevice(0)
            try:
                work()
                settle(name)
            except Exception as error:
                raise AssertionError((name, call)) from error
            assert leaks(*left) == kept, (name, call, leaks(*left), kept)
        if call > 1:
            print(name, call - 1, silent)
