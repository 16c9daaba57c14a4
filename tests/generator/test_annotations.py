"""What stands beside parameters: trailing tags, @param of any header, SAL, GCC's attributes."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.decide import decide
from generator.handles import as_handles
from generator.merge import merge_all
from generator.rules import Rules
from tests.generator.headers import parse_text

TYPES = """
typedef struct thing_st *thing_t;
typedef struct { unsigned version; int value; } grown_t;
typedef struct { int a, b; } pair_t;
#define _In_
#define _Out_
#define _Inout_
#define _In_reads_(n)
#define _Out_writes_(n)
#define _Out_writes_bytes_(n)
#define API_ACCESS(...)
"""


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("int gpuF(int *p ///< [out] the value\n);", "out"),
        ("int gpuF(int *p, ///< [in,out] a value\n int q);", "inout"),
        ("int gpuF(int *p, /**< [out] a value */ int q);", "out"),
        ("int gpuF(int *p /* [out] for nobody */, int q);", "raw"),
        ("int gpuF(int *p, ///< [out] a vector\n int q);", "raw"),
        ("int gpuF(int *p ///< [out] pointer in device memory\n);", "raw"),
        ("int gpuF(grown_t *p ///< [out] what it is\n);", "inout"),
        ("int gpuF(pair_t *p ///< [in,out] what it is\n);", "inout"),
        ("int gpuF(thing_t *p ///< [in,out] a handle\n);", "raw"),
        ("int gpuF(void *p ///< [out] anything\n);", "raw"),
        ("int gpuF(const void *p ///< [in] anything\n);", "readable"),
        (
            (
                "int gpuF(int *n, ///< [in,out] how many\n"
                "thing_t *p ///< [in,out][optional][range(0, *n)] all\n);"
            ),
            "count out_array",
        ),
        (
            (
                "int gpuF(int *n, ///< [in,out] how many\n"
                "thing_t *p ///< [in,out][range(0, *n)] all, never NULL\n);"
            ),
            "inout raw",
        ),
        (
            (
                "int gpuF(int *n, ///< [in,out] how many\n"
                "grown_t *p ///< [in,out][optional][range(0, *n)] all\n);"
            ),
            "inout raw",
        ),
        ("int gpuF(int n, ///< [in] n\n thing_t *p ///< [in][range(0, n)]\n);", "count array"),
        ("int gpuF(int n, const int *p ///< [in][range(0, m)] there is no m\n);", "value raw"),
        ("/** @param[out] p a value */\nint gpuF(int *p);", "out"),
        ("/** @param[in,out] p a value */\nint gpuF(int *p);", "inout"),
        ("/** @param p Reference in which to return the value */\nint gpuF(int *p);", "out"),
        ("/** @param p Array in which to return them */\nint gpuF(int *p);", "raw"),
        ("/** @param p Set to the size, and returns what is needed */\nint gpuF(int *p);", "raw"),
        ("int gpuF(_Out_ int *p);", "out"),
        ("int gpuF(int n, _In_reads_(n) const unsigned char *p);", "value readable"),
        ("int gpuF(_Inout_ int *p);", "inout"),
        ("int gpuF(int n, _In_reads_(n) const int *p);", "count array"),
        ("int gpuF(int n, _Out_writes_(n) int *p);", "count out_array"),
        ("int gpuF(int n, _Out_writes_bytes_(n) int *p);", "value raw"),
        ("int gpuF(int n, _Out_writes_bytes_(n) void *p);", "value writable"),
        ("int gpuF(const int *p, int n) __attribute__((access(read_only, 1, 2)));", "array count"),
        ("int gpuF(void *p, int n) __attribute__((access(write_only, 1, 2)));", "writable value"),
        ("int gpuF(int *p) __attribute__((access(write_only, 1)));", "out"),
        ("int gpuF(int *p, int n) __attribute__((access(write_only, 3)));", "raw value"),
    ],
)
def test_what_is_said_beside_a_parameter(declared: str, expected: str, tmp_path: Path) -> None:
    api = as_handles(merge_all([parse_text(tmp_path, f"{TYPES}\n{declared}\n")]))
    found = decide(api, Rules("gpu"))["gpuF", 0]
    kinds = ["raw" if one.by in ("raw", "unreviewed") else one.kind for one in found]
    assert " ".join(kinds[: len(expected.split())]) == expected


def test_a_new_release_of_a_read_api_gets_proposals(tmp_path: Path) -> None:
    """Its words are no better than those of the releases that needed rules."""
    api = merge_all([parse_text(tmp_path, "int gpuF(int *p ///< [out] the value\n);")])
    (found,) = decide(as_handles(api), Rules("gpu", reviewed=("0.9",)))["gpuF", 0]
    assert found.by == "unreviewed"
    assert found.proposal is not None
    assert found.proposal.kind == "out"
