"""Reports of the host runtime, with their place in Python."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import contextmanager

from PyGPU import _core
from PyGPU._host import library


def strict(on: bool = True) -> bool:
    """Report misuse on stderr: the call, the pointer, where it came from. Returns what was set.

    The same as PYGPU_HOST_STRICT=1. In strict mode all queued work runs in its turn on the stream's
    own thread. All fresh and freed memory is filled with patterns, and writes to freed memory are
    found.
    """
    return bool(library.set_strict(int(on)))


@contextmanager
def reports(strict: bool = True) -> Iterator[list[str]]:
    """Collect reports in a list instead of writing them to stderr.

    These are the reports of strict mode, those of PYGPU_HOST_CHECK, and failures of kernels. Strict
    mode is on meanwhile; with `strict=False` it stays as it is. A report of queued work comes when
    that work runs: wait for it before the end of the with-block.
    """
    collected: list[str] = []
    was_strict = library.set_strict(1) if strict else None
    before = _core.exchange_collected_reports(collected)
    library.set_listener(_core.collect_report)
    try:
        yield collected
    finally:
        library.set_listener(None if before is None else _core.collect_report)
        _core.exchange_collected_reports(before)
        if was_strict is not None:
            library.set_strict(was_strict)


library.set_locator(_core.write_line_of_caller)


@atexit.register
def _leave() -> None:
    """From now on the runtime calls no Python."""
    library.set_locator(None)
    library.set_listener(None)
