"""A callable that shows when it is freed, and the list of what was called."""

from __future__ import annotations

import weakref

seen = []


class Kept:  # takes weak references, which show when it is freed
    def __call__(self, *arguments):
        seen.append(arguments)


def kept():
    one = Kept()
    return one, weakref.ref(one)
