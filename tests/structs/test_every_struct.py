"""Every struct of both APIs: its layout is C's, and it can be made, shown, copied and compared."""

from __future__ import annotations

import copy
import ctypes
import pickle
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.structs.twins import Known, plain


def test_size(known: Known) -> None:
    assert known.type.sizeof == known.struct.size == ctypes.sizeof(known.twin)
    assert memoryview(known.type()).nbytes == known.struct.size


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_same_bytes_have_the_same_values(known: Known, data: st.DataObject) -> None:
    size = known.struct.size
    # The invented pointers are never followed.
    raw = data.draw(st.binary(min_size=size, max_size=size))
    ours, theirs = known.type.from_bytes(raw), known.twin.from_buffer_copy(raw)
    for field in known.members:
        mine, twin = plain(getattr(ours, field.name), getattr(theirs, field.name))
        if isinstance(mine, list) and mine[:1] == ["text"]:
            text = bytes(twin).split(b"\0")[0]
            assert bytes(mine[1:]) == text, field.name
        else:
            assert mine == twin, field.name
    assert bytes(ours) == raw


def test_each_field_is_written_where_c_has_it(known: Known) -> None:
    for field in known.members:
        ours, theirs = known.type.from_bytes(bytes(known.struct.size)), known.twin()
        value = getattr(ours, field.name)
        if isinstance(value, (bytes, str)):
            setattr(ours, field.name, b"ab" if isinstance(value, bytes) else "ab")
            offset = getattr(known.twin, field.name).offset
            ctypes.memmove(ctypes.byref(theirs, offset), b"ab", 2)
        elif hasattr(value, "__len__"):
            continue  # arrays: test_views.py
        elif hasattr(type(value), "sizeof"):
            continue  # nested structs: test_views.py
        else:
            setattr(ours, field.name, 1)
            setattr(theirs, field.name, 1)
        assert bytes(ours) == bytes(theirs), field.name


def test_make_show_copy_compare(known: Known) -> None:
    made = known.type()
    other = copy.copy(made)
    assert made == other
    assert made == copy.deepcopy(made)
    assert (made != other) is False
    if "address" not in {one.name for one in known.members}:
        assert other.address != made.address
    name = known.type.__qualname__
    assert repr(made).startswith(f"{name}(")
    assert re.match(r"[A-Za-z_]\w*$", name)
    assert known.type.__module__ == f"PyGPU.{known.module}"
    back = pickle.loads(pickle.dumps(made))
    assert back == made
    assert type(back) is known.type
    memoryview(other)[:] = b"\x01" * known.struct.size
    assert other != made
    with pytest.raises(TypeError, match="unhashable"):
        hash(made)
    with pytest.raises(AttributeError):
        made.no_such_field = 1
    with pytest.raises(TypeError, match=f"{name} has no field 'no_such_field'"):
        known.type(no_such_field=1)


def test_help_shows_the_fields(known: Known) -> None:
    assert known.struct.kind in known.type.__doc__
    for field in known.members:
        assert field.name in known.type.__doc__
        assert field.name in dir(known.type)


def test_no_bytes_too_few_or_too_many(known: Known) -> None:
    for size in (known.struct.size - 1, known.struct.size + 1):
        with pytest.raises(ValueError, match=f"{known.struct.size} bytes"):
            known.type.from_bytes(bytes(size))
