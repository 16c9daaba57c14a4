"""A module of the user's own C++, bound by pybind11."""

from __future__ import annotations

import peers.compiled


class Peer(peers.compiled.Peer):
    title = module = "pybind11"

    def build(self, package, into):
        self.compile(
            f"-isystem{package / 'include'}", "-std=c++17", "-shared",
            peers.compiled.SOURCES / "by_pybind11.cpp", "-o", into / "bound.so",
        )  # fmt: skip
