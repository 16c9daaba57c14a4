"""Who owns a handle ends it, once, and only who made it does."""

from __future__ import annotations

from tests.standin.conftest import Program

# The function that creates, the one that destroys, and what arrives of the constructor's keywords.
OWNED = {
    "Stream_t": ("StreamCreateWithPriority", "StreamDestroy", [1, (1 << 32) - 3]),
    "Event_t": ("EventCreateWithFlags", "EventDestroy", [2]),
    "Graph_t": ("GraphCreate", "GraphDestroy", [0]),
    "GraphExec_t": ("GraphInstantiateWithFlags", "GraphExecDestroy", [0x7F00_1000, 4]),
    "MemPool_t": ("MemPoolCreate", "MemPoolDestroy", [True]),
}


def test_owners(run: Program, newest: tuple[str, str]) -> None:
    prefix = newest[0].partition("_")[0]
    found = run("owners.py", newest)
    assert found.keys() == OWNED.keys()
    for name, (create, destroy, arrives) in OWNED.items():
        seen = found[name]
        assert seen["handle"], name
        del seen["handle"]
        assert seen == {
            "create": prefix + create,
            "owner": True,
            "arrived": arrives,
            "after wrapping": [],
            "destroy": [prefix + destroy],
            "destroyed": True,
            "failing": [1, True],
            "by call": [0, False],
            "after the call": [],
            "error": [2, prefix + create, True],
            "after an error": [],
        }, name
