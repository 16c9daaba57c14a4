"""Calls every function of every.h: `python calls.py`, with the package and the library at hand."""

from __future__ import annotations

import array
import ctypes

import every
import pytest


def floats(*values: float) -> array.array[float]:
    return array.array("f", values)


def doubles(*values: float) -> array.array[float]:
    return array.array("d", values)


def test_handles() -> None:
    """Pointers to unknown structs are objects; NULL is false."""
    room = array.array("Q", [0])
    assert every.box_open("four", room) == 0
    box = every.box(room[0])
    size = array.array("i", [0])
    assert every.box_size(box, size) == 0 and size[0] == 4
    every.box_close(box)
    plain = every.plain_new(5)
    assert type(plain) is every.plain and every.plain_number(plain) == 5
    assert every.plain_number(int(plain)) == 5
    every.plain_free(plain)
    assert not every.plain_new(-1)
    job = every.job(0x5000)
    assert every.same_task(job, job) == 1
    assert every.same_job(job, job) == 1 and every.same_job(job, None) == 0


def test_inputs() -> None:
    """What isn't known is an address; a count with the array's name sizes it."""
    assert every.text_zeros(b"a\0b\0", 4) == 2
    y = floats(1, 1)
    assert every.axpy(2, floats(2), floats(1, 2), y) == 0 and list(y) == [3, 5]
    out = floats(0)
    assert every.norm(floats(1, 2, 3), out) == 0 and out[0] == 6
    assert every.total([1.0, 2.0], 2, 3) == 9
    with pytest.raises(ValueError, match="'weights' is too short: 2 needed, 1 given"):
        every.total([1.0], 2, 3)
    assert every.octets_sum(b"\0\7", 2) == 2
    assert every.first_byte(b"\5") == 5
    assert every.bytes_sum(b"\1\2", 2) == 3
    with pytest.raises(ValueError, match="'data' is too short: 3 needed, 2 given"):
        every.bytes_sum(b"\1\2", 3)
    assert every.until_zero(array.array("q", [3, 4, 0]), 1) == 8
    assert every.behind_first("abc") == "bc" and every.behind_first("") is None
    triple = array.array("i", [1, 2, 3])
    assert every.triple_sum(triple) == 6 and every.six_last(triple + triple) == 3
    assert every.triple_set(triple, 4) == 4 and list(triple) == [4, 4, 4]


def test_libc() -> None:
    assert every.seconds(1 << 40, every.timespec(tv_sec=1)) == (1 << 40) + 1
    assert every.half({"tv_sec": 4, "tv_usec": 6}) == every.timeval(tv_sec=2, tv_usec=3)
    assert every.is_open(None) == 0 and every.is_open(0x5000) == 1
    assert every.length(5, 2) == 3
    assert every.guarded.sizeof == 64
    assert every.guarded_value(every.guarded(value=2, at={"tv_nsec": 3})) == 5


def test_fields() -> None:
    vectors = every.vectors(v=floats(0, 0, 0, 4).tobytes(), after=3)
    assert every.vectors.sizeof == 64 and every.vectors_after(vectors) == 7
    assert every.oddities_n(every.oddities(n=4)) == 4
    assert every.oddities_n(every.oddities(map=8)) == -1
    assert every.nameless_kind(every.nameless(kind=every.FIELD_TWO)) == 2
    assert every.bits_sum(every.bits(a=5, b=9, c=-1)) == -905
    tail = every.tail(n=3)
    assert every.tail_n(tail) == 3 and not hasattr(tail, "data") and every.tail.sizeof == 4
    assert every.tight.sizeof == 7 and every.tight_sum((1, 2, 3)) == 6
    assert every.aligned.sizeof == 32 and every.aligned_b((1, 2)) == 2
    assert every.constant_b({"b": 4}) == 4
    grid = every.grid(m=[0, 1, 2, 3, 4, 5])
    assert every.grid_last(grid) == 5 and every.grid.sizeof == 64
    assert every.char4_sum(every.char4(s=b"\1\2\0\3")) == 321
    assert every.empty_none(None) == 1


def test_numerals() -> None:
    assert every.twice(1 + 2j) == 2 + 4j and every.twice(3) == 6
    assert every.twicef(0.5j) == 1j
    assert every.third(1.5) == 0.5
    assert every.negated(True) is False and every.negated(0) is True
    with pytest.raises(OverflowError):
        every.negated(2)
    assert every.next(-5) == -4
    with pytest.raises(OverflowError):
        every.next(300)
    assert every.NUMERALS_ALL == every.MASK_ALL == 2**64 - 1
    assert every.numerals_mask.MASK_ALL is every.MASK_ALL
    assert every.NUMERALS_LEAST == -(2**63) and every.METH_NOARGS == 5
    assert every.is_all(every.MASK_ALL) == 1 and every.is_all(1) == 0
    assert every.minus(1 << 40) == -(1 << 40)
    value = array.array("i", [0])
    assert every.status_get(value, 3) == 6 and value[0] == 4
    x = doubles(0)
    assert every.many(x, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10.0, 11, 12.5) == 66 and x[0] == 12.5


def test_names() -> None:
    """Python's and C++'s keywords get an underscore; what meets that gets two."""
    assert every.keyword_class == 0 and every.True_ == 1
    assert every.lambda__ == 2 and every.keywords.mro_ == 3
    given = every.struct_from(in_=1, lambda_=9, cls=4)
    given.__class___ = 5
    given.class_ = 2
    assert type(given) is every.struct_from
    assert every.from_(given, lambda__=1, lambda_=2, None_=3, self=4) == 43213
    assert every.template(1, 1, 1, 1, 1, 1) == 21
    assert every.address_(3) == 3 and every.checked_(4) == 4 and every.import_() == 7
    assert every.address("import_") != 0
    assert every.of_passes(every.passes(one=8)) == 1
    assert every.outputs(5) == (5, 5, 5)
    assert every.list_add(every.Text(a=1), every.Text(a=2)) == 3


def test_left_out() -> None:
    assert every.left_none() == 0
    for name in ("log", "vlog", "by_value", "struct", "wide", "counter", "names"):
        assert not hasattr(every, f"left_{name}")


def test_callbacks() -> None:
    """Rules make callables of them; here, C functions are addresses."""
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p)
    assert every.visit_all(3, kind(lambda at, _: at + 1), None) == 6
    assert every.judge_all(5, kind(lambda at, _: at == 3), None) == 3
    assert every.visit_twice(4, None) == 8
    room = array.array("Q", [0])
    assert every.callback_out(room) == 0
    assert every.callback_given() == room[0] != 0
    assert every.judge_all(5, room[0], None) == 1
    assert every.callback_table(None) == 0
    assert every.callback_of(1) != 0 and every.callback_of(0) == 0


def test_macros() -> None:
    """A name that a macro gives a function is its only one."""
    x = doubles(1, 2)
    every.macros_d(x, 2)
    assert list(x) == [2, 4] and every.macros_d_sum(x, 2) == 6
    assert every.macros_f_sum(floats(1, 2), 2) == 3
    assert every.macros_dot(3) == 3 and every.macros_dot_64(5 << 32) == 5
    assert not hasattr(every, "macros_dot_v2") and not hasattr(every, "macros_dot_v2_64")


if __name__ == "__main__":
    raise SystemExit(
        pytest.main(["-q", "-c/dev/null", "--noconftest", "-pno:cacheprovider", __file__])
    )
