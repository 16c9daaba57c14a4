"""Shapes of parameters that no vendor's runtime has, each in an invented header."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.cpp.types import shape
from generator.cpp.wrappers import argument, results
from generator.errors import GeneratorError
from generator.model import CType
from generator.plan.binding import Wrapper
from generator.plan.shapes import Argument, Ask, Local, Result, Shape, value
from generator.plan.stubs import stub_module
from generator.rules import RulesError
from tests.generator import invented

HANDLE = "typedef struct gpuJob_st *gpuJob;\n"
SIZES = HANDLE + "gpuStatus gpuGetLogSize(gpuJob job, unsigned long *size);\n"


def wrapper(folder: Path, header: str, decided: str, name: str) -> Wrapper:
    groups = invented.planned(folder, header, decided).groups
    return next(one for group in groups.values() for one in group if one.name == name)


@pytest.mark.parametrize(
    ("declared", "rule", "result", "annotation"),
    [
        ("char *log", 'kind = "out_text"', "TextBuffer", "str"),
        ("char *log", 'kind = "out_bytes"', "ByteBuffer", "bytes"),
        ("void *log", 'kind = "out_bytes"', "ByteBuffer", "bytes"),
        ("char *log", 'kind = "out_bytes", ends = true', "CodeText", "bytes"),
        ("int *log", 'kind = "out_array"', "std::vector<int>", "list[int]"),
        ("gpuJob *log", 'kind = "out_array"', "std::vector<gpuJob>", "list[gpuJob]"),
    ],
)
def test_another_function_gives_the_size(
    tmp_path: Path, declared: str, rule: str, result: str, annotation: str
) -> None:
    header = SIZES + f"gpuStatus gpuGetLog(gpuJob job, {declared});\n"
    rules = f'[function.gpuGetLog]\nparameter.log = {{ {rule}, asked_by = "gpuGetLogSize" }}\n'
    found = wrapper(tmp_path, header, rules, "gpuGetLog")
    # C is asked at each call, so the caller gives no count.
    asked = (Argument("value", "job"), Argument("address", "size"))
    assert found.ask == Ask("gpuGetLogSize", asked, counted=None)
    assert [one.python_name for one in found.inputs] == ["job"]
    (made,) = found.results
    assert shape(made.shape) == result
    assert found.locals == (
        Local("size", value(CType("unsigned long"))),
        Local("log", made.shape, capacity=Argument("value", "size")),
    )
    stub = stub_module(invented.planned(tmp_path, header, rules))
    plain = next(one for one in map(str, stub.functions) if one.startswith("def gpuGetLog("))
    assert plain.endswith(f"-> tuple[{annotation} | None, gpuStatus]: ...")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("gpuStatus gpuGetOther(gpuJob job);", "gpuGetLogSize"),
        ("gpuStatus gpuGetLogSize(gpuJob job, int *one, int *two);", "can't be asked"),
        ("gpuStatus gpuGetLogSize(gpuJob job, int which, int *one);", "can't be asked"),
        ("gpuStatus gpuGetLogSize(gpuJob job, void *one);", "can't be asked"),
        ("gpuStatus gpuGetLogSize(gpuJob job);", "can't be asked"),
    ],
)
def test_what_cannot_be_asked_is_said(tmp_path: Path, asked: str, said: str) -> None:
    header = f"{HANDLE}{asked}\ngpuStatus gpuGetLog(gpuJob job, char *log);\n"
    rules = "[function.gpuGetLog]\n"
    rules += 'parameter.log = { kind = "out_text", asked_by = "gpuGetLogSize" }\n'
    with pytest.raises(GeneratorError, match=r"^gpuGetLog \(gpu\.h:\d+\): ") as error:
        invented.planned(tmp_path, header, rules)
    assert said in str(error.value)


def test_texts_in_an_array_are_counted(tmp_path: Path) -> None:
    header = "gpuStatus gpuRun(int count, const char *const *options, const char **names);\n"
    rules = "[function.gpuRun]\n"
    rules += 'parameter.options = { kind = "array", count = "count" }\n'
    rules += 'parameter.names = { kind = "array", count = "count" }\n'
    found = wrapper(tmp_path, header, rules, "gpuRun")
    assert [shape(one.shape) for one in found.inputs] == [
        "int",
        "Array<TextItem>",
        "Array<TextItem>",
    ]
    assert [(need.index, need.size) for need in found.size_requirements] == [
        (1, "count"),
        (2, "count"),
    ]
    assert found.raw == {}


def test_lent_text_is_copied(tmp_path: Path) -> None:
    header = "gpuStatus gpuGetName(int which, const char **name);\n"
    rules = '[function.gpuGetName]\nparameter.name = { kind = "out_lent" }\n'
    found = wrapper(tmp_path, header, rules, "gpuGetName")
    assert found.results == (Result("name", Shape("lent text"), "lent"),)
    assert results(found) == "LentText(name)"
    wrong = "gpuStatus gpuGetName(int which, const int **name);\n"
    with pytest.raises(GeneratorError, match="name isn't a text, so it needs a count"):
        invented.planned(tmp_path, wrong, rules)


OWNED = """
[handle.gpuJob]
create = "gpuStart"
destroy = "gpuEnd"
optional = ["name"]
[function.gpuStart]
parameter.job = { kind = "out" }
"""
JOBS = HANDLE + "gpuStatus gpuStart(gpuJob *job, const char *name, int count);\n"


@pytest.mark.parametrize(
    ("end", "rule", "by_pointer"),
    [
        ("gpuStatus gpuEnd(gpuJob job);", "", False),
        ("gpuStatus gpuEnd(gpuJob *job);", 'parameter.job = { kind = "ended" }', True),
    ],
)
def test_a_handle_is_ended_by_value_or_by_pointer(
    tmp_path: Path, end: str, rule: str, by_pointer: bool
) -> None:
    found = invented.planned(tmp_path, JOBS + end, f"{OWNED}[function.gpuEnd]\n{rule}\n")
    ending = found.groups["other"][0]
    assert [shape(one.shape) for one in ending.inputs] == [
        "Ended<gpuJob>" if by_pointer else "Destroyed<gpuJob>"
    ]
    assert [*map(argument, ending.arguments)] == ["&job.handle" if by_pointer else "job"]
    owned = found.handles[0].owned
    assert owned is not None
    assert (owned.by_pointer, owned.registers) == (by_pointer, False)
    stub = stub_module(found)
    (keywords,) = (one.keywords for one in stub.handles if one.keywords)
    assert keywords.parts(lambda name, _: name) == ["*", "name: _Text = None", "count: _Int = 0"]


def test_a_handle_may_have_several_ends(tmp_path: Path) -> None:
    names = ("gpuEnd", "gpuFinish", "gpuGo")
    ends = "".join(f"gpuStatus {name}(gpuJob job);\n" for name in names)
    rules = OWNED.replace("optional", 'ends = ["gpuFinish"]\noptional')
    found = invented.planned(tmp_path, JOBS + ends, rules)
    shapes = {one.name: shape(one.inputs[0].shape) for one in found.groups["other"]}
    assert shapes["gpuEnd"] == shapes["gpuFinish"] == "Destroyed<gpuJob>" != shapes["gpuGo"]
    for name in ("gpuStart", "gpuNowhere"):
        wrong = OWNED.replace("optional", f'ends = ["{name}"]\noptional')
        with pytest.raises(GeneratorError, match=f"ends: no bound function {name} ends one"):
            invented.planned(tmp_path, JOBS + ends, wrong)


CALLBACK = """
[function.gpuWatch.parameter.callback]
kind = "callback"
user_data = "payload"
lives = "registered"
holder = "job"
until = "gpuEnd"
"""
WATCH = "gpuStatus gpuEnd(gpuJob *job);\ngpuStatus gpuWatch(gpuJob job, {}, void *payload);\n"


@pytest.mark.parametrize(
    ("declared", "rule", "type"),
    [
        (
            "int (*callback)(void *, void *)",
            'data = "arg0"\nfailed = 1',
            "Callback<gpuWatch_callback, Lives::registered, 0, 1>",
        ),
        (
            "int (*callback)(int, void *)",
            "",
            "Callback<gpuWatch_callback, Lives::registered, 1, 0>",
        ),
        (
            "void (*callback)(int, void *)",
            "",
            "Callback<gpuWatch_callback, Lives::registered>",
        ),
    ],
)
def test_a_callback_may_give_a_result_and_have_no_typedef(
    tmp_path: Path, declared: str, rule: str, type: str
) -> None:
    rules = OWNED + '[function.gpuEnd]\nparameter.job = { kind = "ended" }\n' + CALLBACK + rule
    found = invented.planned(tmp_path, JOBS + WATCH.format(declared), rules)
    wrappers = {one.name: one for group in found.groups.values() for one in group}
    watch, end = wrappers["gpuWatch"], wrappers["gpuEnd"]
    assert [shape(one.shape) for one in watch.inputs] == ["gpuJob", type, "UserData"]
    assert [shape(one.shape) for one in end.inputs] == ["Unregistered<Ended<gpuJob>>"]
    assert [*map(argument, end.arguments)] == ["&job.handle.handle"]
    assert found.handles[0].owned is not None
    assert found.handles[0].owned.registers
    assert f"gpuJob job, {declared}" in watch.doc.prototype


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ("int (*callback)(void *, void *)", "data says which of arg0, arg1"),
        ("float (*callback)(void *)", "it gives a float"),
        ("void *(*callback)(void *)", r"it gives a void \*"),
        ("int (*callback)(int)", 'use kind = "raw"'),
    ],
)
def test_other_callbacks_are_refused(tmp_path: Path, declared: str, said: str) -> None:
    rules = OWNED + '[function.gpuEnd]\nparameter.job = { kind = "ended" }\n' + CALLBACK
    with pytest.raises(RulesError, match=f"no callable can stand in for a .*{said}"):
        wrapper(tmp_path, JOBS + WATCH.format(declared), rules, "gpuWatch")


def test_codes_that_the_api_lacks_are_pygpus(tmp_path: Path) -> None:
    found = invented.planned(tmp_path, "gpuStatus gpuRun(void);\n")
    assert found.errors == (
        (0, "GPU_SUCCESS"),
        (1, "GPU_ERROR_BAD_THING"),
        (4000, "PYGPU_ERROR_SYMBOL_NOT_FOUND"),
        (4001, "PYGPU_ERROR_LIBRARY_NOT_FOUND"),
    )
    for number in (0, 4096, -1):
        made = invented.MANIFEST.replace("4001", str(number))
        with pytest.raises(GeneratorError, match=r"no_library is .*, not a number from 1 to"):
            invented.planned(tmp_path, "gpuStatus gpuRun(void);\n", made=made)


def test_an_api_may_be_empty_of_all_but_functions(tmp_path: Path) -> None:
    """Such an API lacks structs, handles, other enums, callbacks, a release call and a driver."""
    found = invented.planned(tmp_path, "gpuStatus gpuRun(int n);\n")
    assert (found.struct_types, found.handles, found.callbacks, found.helpers) == ((), (), (), ())
    assert [one.name for one in found.enums] == ["gpuStatus"]
    assert not found.manifest.in_core


def test_a_field_may_hide_the_address_of_its_struct(tmp_path: Path) -> None:
    """A type checker refuses another type than the struct's own int, but not Any."""
    fields = "typedef struct { int bus; } gpuBus;\ntypedef struct { gpuBus address; } gpuFirst;\n"
    header = f"{HANDLE}{fields}typedef struct {{ int address; }} gpuSecond;\n"
    header += "gpuStatus gpuTake(gpuJob job, gpuFirst first, gpuSecond second);\n"
    stub = stub_module(invented.planned(tmp_path, header, ""))
    read = {
        one.name: descriptor.text(lambda name, _: name)
        for one in stub.structs
        for name, descriptor in one.fields
        if name == "address"
    }
    assert read["gpuFirst"].startswith("_Field[Any, ")
    assert read["gpuSecond"] == "_IntField"
