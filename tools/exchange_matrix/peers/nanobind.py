"""A module of the user's own C++, bound by nanobind."""

from __future__ import annotations

import peers.compiled


class Peer(peers.compiled.Peer):
    title = module = "nanobind"

    def build(self, package, into):
        self.compile(
            f"-isystem{package / 'include'}", f"-isystem{package / 'ext/robin_map/include'}",
            "-std=c++17", "-DNDEBUG", "-DNB_COMPACT_ASSERTIONS", "-fno-strict-aliasing", "-shared",
            peers.compiled.SOURCES / "by_nanobind.cpp", package / "src" / "nb_combined.cpp",
            "-o", into / "bound.so",
        )  # fmt: skip
