"""The owner of a handle destroys it, once. Only the object that created a handle owns it."""

from __future__ import annotations

from tests.standin import apis
from tests.standin.conftest import Program

# The function that creates, the function that destroys, and what the constructor's keywords become
# in C.
OWNED = (
    ("StreamCreateWithPriority", "StreamDestroy", [1, (1 << 32) - 3]),
    ("EventCreateWithFlags", "EventDestroy", [2]),
    ("GraphCreate", "GraphDestroy", [0]),
    ("GraphInstantiateWithFlags", "GraphExecDestroy", [0x7F00_1000, 4]),
    ("MemPoolCreate", "MemPoolDestroy", [True]),
)
# Functions with other names, and the symbols of functions that macros rename.
OTHERWISE = {
    "cuEventCreateWithFlags": "cuEventCreate",
    "cuGraphInstantiateWithFlags": "cuGraphInstantiate",
}
SYMBOLS = {
    "cuStreamDestroy": "cuStreamDestroy_v2",
    "cuEventDestroy": "cuEventDestroy_v2",
    "cuGraphInstantiate": "cuGraphInstantiateWithFlags",
}


def test_owners(run: Program, newest: tuple[str, str]) -> None:
    prefix = apis.of(newest[0]).namespace
    found = run("owners.py", newest)
    assert len(found) == len(OWNED)
    for (name, seen), (create, destroy, arrives) in zip(found.items(), OWNED, strict=True):
        called = OTHERWISE.get(prefix + create, prefix + create)
        ended = prefix + destroy
        assert seen["handle"], name
        del seen["handle"]
        assert seen == {
            "create": SYMBOLS.get(called, called),
            "owner": True,
            "arrived": arrives,
            "after wrapping": [],
            "destroy": [SYMBOLS.get(ended, ended)],
            "destroyed": True,
            "failing": [1, True],
            "by call": [0, False],
            "after the call": [],
            "error": [2, called, True],
            "after an error": [],
        }, name
