"""A callable whose end shows, and what was called."""

from __future__ import annotations

import weakref

seen = []


class Kept:  # an object whose end shows
    def __call__(self, *arguments):
        seen.append(arguments)


def kept():
    one = Kept()
    return one, weakref.ref(one)
