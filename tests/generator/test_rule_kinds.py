"""Every kind of rule on every sort of C type: planned as asked, or refused with its place."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from generator import rules, store
from generator.decide.advice import LIKELY, SIZED
from generator.decide.fits import refuse, sort
from generator.errors import GeneratorError
from generator.model import (
    Alias,
    Api,
    Callback,
    CType,
    Enum,
    Enumerator,
    Field,
    Function,
    Handle,
    Parameter,
    Source,
    Struct,
    Variant,
)
from generator.plan.api import plan
from generator.plan.binding import Wrapper
from generator.rules.kinds import KINDS, On
from generator.rules.page import page
from generator.rules.values import RulesError
from tests.generator.manifests import INVENTED

ROOT = Path(__file__).resolve().parents[2]
HERE = Source("made_up.h", 7)
TYPES = {
    On.NUMBER: "int",
    On.HANDLE: "cudaThing_t",
    On.STRUCT: "cudaPair",
    On.CALLBACK: "cudaCall_t",
    On.TEXT: "const char *",
    On.CHARS: "char *",
    On.READ_MEMORY: "const void *",
    On.MEMORY: "void *",
    On.READ_NUMBERS: "const int *",
    On.NUMBERS: "int *",
    On.READ_HANDLES: "const cudaThing_t *",
    On.HANDLES: "cudaThing_t *",
    On.POINTERS: "void **",
    On.READ_STRUCTS: "const cudaPair *",
    On.STRUCTS: "cudaPair *",
}
# Types for the kinds that don't take every type of a sort.
TYPES_OF: dict[tuple[str, On], str] = {
    ("readable", On.NUMBER): "unsigned long long",
    ("writable", On.NUMBER): "size_t",
    ("address", On.NUMBER): "unsigned long",
    ("out_bytes", On.NUMBERS): "unsigned char *",
    ("scalar", On.READ_STRUCTS): "const cudaComplex *",
    ("record", On.HANDLES): "cudaPair **",
}
# What a kind needs besides its name, on all types or on one.
NEEDS: dict[str, dict[str, Any]] = {
    "callback": {"user_data": "data", "lives": "once"},
    "out_array": {"count": "n"},
    "array": {"count": "n"},
    "out_text": {"capacity": "n"},
    "out_bytes": {"capacity": "n"},
    "out_lent": {"count": "written"},
    "typed_by": {"by": "kind", "direction": "in", "table": "values"},
    "record": {"within": "data", "table": "values"},
    "raw": {"reason": "nobody knows"},
}
NEEDS_ON: dict[tuple[str, On], dict[str, Any]] = {
    ("value", On.MEMORY): {"as": "cudaThing_t"},
    ("value", On.READ_MEMORY): {"as": "cudaThing_t"},
    ("value", On.STRUCTS): {"as": "cudaThing_t"},
    ("value", On.READ_STRUCTS): {"as": "cudaThing_t"},
    ("out", On.MEMORY): {"as": "int"},
    ("array", On.POINTERS): {"of": "address"},
    ("typed_by", On.POINTERS): {"count": "n"},
    ("typed_by", On.STRUCTS): {"table": "members"},
    ("typed_by", On.READ_STRUCTS): {"table": "members"},
}
DOCUMENT: dict[str, Any] = {
    "typed": {
        "values": {"enum": "cudaKind", "value": {"cudaKindA": "int"}},
        "members": {"enum": "cudaKind", "value": {"cudaKindA": {"field": "x"}}},
    }
}


def made(type: str) -> Api:
    """An API with one function, which has a parameter `p` of that type."""

    def once(node: Any) -> Any:
        return (Variant("1.0", "1.0", node),)

    listed = {
        "p": type,
        "n": "size_t",
        "written": "size_t *",
        "kind": "cudaKind",
        "data": "void *",
        "real": "float",
    }
    parameters = tuple(Parameter(name, CType.parse(text)) for name, text in listed.items())
    result = CType("cudaError_t")
    error = Enum("cudaError", "unsigned int", (Enumerator("cudaSuccess", 0),), HERE)
    pair = (Field("x", CType("int"), 0), Field("y", CType("int"), 4))
    parts = (Field("x", CType("float"), 0), Field("y", CType("float"), 4))
    data = (Parameter("data", CType("void", pointers=(False,))),)
    return Api(
        "cuda_runtime",
        ("1.0",),
        {"cudaDo": once(Function("cudaDo", "cudaDo", result, parameters, "other", HERE))},
        {
            "cudaPair": once(Struct("cudaPair", "struct", 8, 4, pair, HERE)),
            "cudaComplex": once(Struct("cudaComplex", "struct", 8, 4, parts, HERE)),
        },
        {
            "cudaError": once(error),
            "cudaKind": once(Enum("cudaKind", "int", (Enumerator("cudaKindA", 1),), HERE)),
        },
        {},
        {"cudaError_t": once(Alias("cudaError_t", CType("cudaError"), HERE))},
        {"cudaThing_t": once(Handle("cudaThing_t", "cudaThing_st", HERE))},
        {"cudaCall_t": once(Callback("cudaCall_t", CType("void"), data, HERE))},
    )


def planned(type: str, rule: dict[str, Any]) -> Wrapper:
    document = {**DOCUMENT, "function": {"cudaDo": {"parameter": {"p": rule}}}}
    read = rules.parse("cuda_runtime", document)
    ((wrapper,),) = plan(made(type), read, INVENTED).groups.values()
    return wrapper


def test_the_sorts_are_told_apart() -> None:
    assert {on: sort(made(type), CType.parse(type)) for on, type in TYPES.items()} == {
        on: on for on in On
    }


@pytest.mark.parametrize("on", On, ids=lambda on: on.name)
@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_planned_or_refused(kind: str, on: On) -> None:
    rule = {"kind": kind, **NEEDS.get(kind, {}), **NEEDS_ON.get((kind, on), {})}
    if kind == "status" and on in KINDS[kind].on:  # cudaDo returns one: see test_kinds_called.py
        with pytest.raises(RulesError, match="it returns a cudaError_t, so this is no status"):
            planned(TYPES[on], rule)
    elif on in KINDS[kind].on:
        wrapper = planned(TYPES_OF.get((kind, on), TYPES[on]), rule)
        assert ("p" in wrapper.raw) == (kind == "raw")
    else:
        with pytest.raises(RulesError) as caught:
            planned(TYPES[on], rule)
        place = f"rules.toml: function.cudaDo.parameter.p: {TYPES[on]} p of cudaDo (made_up.h:7): "
        assert place in str(caught.value)


@pytest.mark.parametrize(
    ("type", "rule", "message"),
    [
        ("void *", {"kind": "out"}, "needs as = its type"),
        ("cudaPair *", {"kind": "value"}, "needs as = a handle's type"),
        ("cudaPair *", {"kind": "value", "as": "int"}, "needs as = a handle's type"),
        ("void *", {"kind": "out", "as": "cudaNone_t"}, "there is no type cudaNone_t"),
        ("float", {"kind": "value", "boolean": True}, "float p is no boolean"),
        ("cudaPair *", {"kind": "out", "initial": 1}, "initial is nothing for a pointer to str"),
        ("int *", {"kind": "address", "frees": True}, "frees is nothing for a pointer to numbers"),
        ("int *", {"kind": "array", "count": "real"}, "float real is no count"),
        ("int *", {"kind": "array", "count": "written"}, "size_t * written is no count"),
        ("int *", {"kind": "out_array", "count": "data"}, "void * data is no count"),
        ("int *", {"kind": "out_array", "count": "n", "written": "n"}, "n is no count"),
        ("char *", {"kind": "out_text", "capacity": "written"}, "needs a default"),
        ("char *", {"kind": "out_bytes", "capacity": "written"}, "needs a default"),
        (
            "char *",
            {"kind": "out_bytes", "capacity": "n", "asked_by": "cudaDo"},
            "the capacity is no pointer",
        ),
        (
            "char *",
            {"kind": "out_bytes", "capacity": "written", "asked_by": "cudaDo"},
            "it has to return a number, and take nothing but what cudaDo takes",
        ),
        ("int *", {"kind": "out_bytes", "capacity": "n"}, "int * leads to no bytes"),
        ("const cudaPair *", {"kind": "scalar"}, "leads to no complex number"),
        ("int *", {"kind": "out_array", "count": "n", "asks": True}, "nothing gives the size"),
        ("int *", {"kind": "out_array", "count": "n", "asking": ["x"]}, "there is no first call"),
        (
            "int *",
            {"kind": "out_array", "count": "n", "asks": True, "asked_by": "cudaDo"},
            "asks: nothing gives the size",
        ),
        ("void *", {"kind": "array", "ends": True}, "is nothing for `void *`"),
        ("int", {"kind": "readable"}, "int holds no address: it is not as wide"),
        ("void **", {"kind": "out_lent"}, "p isn't a text, so it needs a count"),
        ("int **", {"kind": "ended"}, "int ** leads to no handle"),
        (
            "cudaCall_t",
            {"kind": "callback", "user_data": "data", "lives": "once", "failed": 1},
            "failed: C takes no result",
        ),
        (
            "cudaCall_t",
            {"kind": "callback", "user_data": "data", "lives": "once", "data": "other"},
            "data: 'other' is no void * of the callback's; there is data",
        ),
        ("int *", {"kind": "out", "lacking": True}, "no older form is adapted"),
        ("void *", {"kind": "readable", "length": "data * 2"}, "length: void * data is no number"),
        (
            "void *",
            {"kind": "readable", "length": "written"},
            "length: size_t * written has no value before the call: its kind is",
        ),
        ("void *", {"kind": "readable", "length": "n.x"}, "length: size_t has no field x"),
        ("cudaPair", {"kind": "value", "length": "p.z"}, "length: cudaPair has no field z"),
        (
            "const void *",
            {"kind": "typed_by", "by": "kind", "direction": "out", "table": "values"},
            "C does not write through const void *",
        ),
        (
            "void *",
            {"kind": "typed_by", "by": "n", "direction": "in", "table": "values"},
            "size_t decides, but [typed.values] is of cudaKind",
        ),
        (
            "void *",
            {"kind": "typed_by", "by": "data", "direction": "in", "table": "values"},
            "by = 'data': void * data is `void *`",
        ),
        (
            "void *",
            {"kind": "typed_by", "by": "kind", "direction": "in", "table": "members"},
            "C takes no union there",
        ),
        (
            "cudaCall_t",
            {"kind": "callback", "user_data": "n", "lives": "once"},
            "size_t n is a number or an enumerator by value, not `void *`",
        ),
        ("cudaCall_t", {"kind": "callback", "lives": "once"}, "a callback needs user_data"),
        (
            "cudaCall_t",
            {"kind": "callback", "user_data": "data", "lives": "replaced"},
            'with lives = "replaced" it has none',
        ),
        (
            "cudaCall_t",
            {"kind": "callback", "user_data": "data", "lives": "once", "memory": "asked"},
            'memory needs lives = "replaced"',
        ),
        (
            "cudaCall_t",
            {"kind": "callback", "lives": "replaced", "memory": "asked"},
            "memory: its parameters are no pointer to memory, with sizes",
        ),
        (
            "cudaCall_t",
            {"kind": "callback", "user_data": "data", "lives": "once", "lent": "data"},
            "lent, by and table are given all three",
        ),
        (
            "cudaCall_t",
            {
                "kind": "callback",
                "user_data": "data",
                "lives": "once",
                "lent": "data",
                "by": "kind",
                "table": "values",
            },
            "by: 'kind' is no parameter of the callback's",
        ),
        (
            "cudaThing_t *",
            {"kind": "record", "within": "data", "table": "values"},
            "cudaThing_t * leads to no address of a struct",
        ),
        (
            "cudaPair **",
            {"kind": "record", "within": "n", "table": "values"},
            "within = 'n': size_t n is a number or an enumerator by value, not `void *`",
        ),
        ("int *", {"kind": "out", "valid_on": ["cudaNone"]}, "cudaNone"),
        ("int **", {"kind": "array", "count": "n"}, "an array of int *, which no Python values"),
    ],
)
def test_an_option_that_cannot_be_is_refused(type: str, rule: dict[str, Any], message: str) -> None:
    with pytest.raises(GeneratorError) as caught:
        planned(type, rule)
    assert message in str(caught.value)


def test_a_struct_may_stand_for_a_number_in_newer_releases_alone() -> None:
    """The table has the older struct for the releases before."""
    api = made("cudaPair **")
    longer = api.structs["cudaComplex"][0].node
    api = replace(
        api,
        releases=("1.0", "2.0"),
        structs={
            "cudaPair": (replace(api.structs["cudaPair"][0], until="2.0"),),
            "cudaComplex": (Variant("2.0", "2.0", longer),),
        },
        **{
            kind: {
                name: (replace(one[0], until="2.0"),) for name, one in getattr(api, kind).items()
            }
            for kind in ("functions", "enums", "aliases", "handles", "callbacks")
        },
    )
    rule = {"kind": "record", "within": "data", "table": "values"}
    value = {"type": "cudaComplex", "older": ["cudaPair"]}
    document = {
        "typed": {"values": {"enum": "cudaKind", "value": {"cudaKindA": value}}},
        "function": {"cudaDo": {"parameter": {"p": rule}}},
    }
    found = plan(api, rules.parse("cuda_runtime", document), INVENTED)
    cases = [(str(one.type), one.since, one.until) for one in found.typed[0].cases]
    assert cases == [("cudaPair", 0, 199), ("cudaComplex", 200, 9999)]
    assert {"cudaPair", "cudaComplex"} <= {one.tag for one in found.struct_types}


def test_a_length_may_be_what_goes_in_through_a_pointer() -> None:
    """C reads the room there, and writes how much it took."""
    both = {"p": {"kind": "writable", "length": "written"}, "written": {"kind": "inout"}}
    read = rules.parse("cuda_runtime", {**DOCUMENT, "function": {"cudaDo": {"parameter": both}}})
    ((wrapper,),) = plan(made("void *"), read, INVENTED).groups.values()
    assert [(one.index, one.size) for one in wrapper.size_requirements] == [(0, "written")]
    both["written"]["optional"] = True
    read = rules.parse("cuda_runtime", {**DOCUMENT, "function": {"cudaDo": {"parameter": both}}})
    with pytest.raises(RulesError, match="written has no value before the call: its kind is inout"):
        plan(made("void *"), read, INVENTED)


@pytest.mark.parametrize("type", ["const unsigned char *const *", "const unsigned char **"])
def test_memory_behind_an_array_of_pointers(type: str) -> None:
    """Some headers forget that C only reads the array itself."""
    array = {"kind": "array", "count": "n", "of": "readable"}
    (pointers, *_) = planned(type, array).inputs
    assert (pointers.shape.kind, pointers.shape.inner.kind) == ("array", "readable")


def test_a_value_is_not_const() -> None:
    """In C that only binds the function itself; a handle stays one of its class."""
    for type in ("int", "cudaThing_t", "cudaPair"):
        (first, *_) = planned(f"const {type}", {"kind": "value"}).inputs
        assert str(first.shape.type) == type


@cache
def cuda() -> Api:
    return store.load(ROOT / "api_specs" / "cuda_runtime" / "api.json")


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            {"function": {"cudaSetDevice": {"parameter": {"device": {"kind": "out"}}}}},
            r"function\.cudaSetDevice\.parameter\.device: int device of cudaSetDevice \(cuda_ru",
        ),
        (
            {"function": {"cudaMalloc": {"parameter": {"devPtr": {"kind": "writable"}}}}},
            r"cudaMalloc\.parameter\.devPtr: void \*\* devPtr of .* is nothing for `void \*\*`",
        ),
        ({"function": {"cudaMemAdvise": {"adapt": ["12.8"]}}}, r"adapt: no older form of cudaMemA"),
        ({"function": {"cudaGetDevice": {"adapt": ["12.9"]}}}, r"adapt: no older .* ends: none"),
        ({"function": {"cudaGetDevice": {"handwritten": True}}}, r"handwritten: no older form is"),
        ({"function": {"cudaGetDevice": {"twin": "cudaGetDevise"}}}, r"twin: there is no function"),
        (
            {"function": {"cudaGetDevice": {"absent": "error_name"}}},
            r"function\.cudaGetDevice\.absent: error_name is a text",
        ),
        ({"function": {"cudaGetErrorName": {"checked": "ready"}}}, r"checked: .* no status"),
        (
            {"family": {"cudaGetErrorS*": {"checked": "ready"}}},
            r'family."cudaGetErrorS\*"\.checked',
        ),
        (
            {"family": {"cudaSetD*": {"parameter": {"device": {"kind": "out"}}}}},
            r'family."cudaSetD',
        ),
        ({"type": {"int": {"kind": "out"}}}, r'type\."int"'),
        ({"parameter": {"device": {"kind": "text", "type": "int"}}}, r"parameter\.device"),
        (
            {"helper": {"cudaCreateChanelDesc": {"struct": "cudaChannelFormatDesc"}}},
            "helper.cudaCr",
        ),
        ({"helper": {"make_cudaExtnt": {"struct": "cudaExtent"}}}, r"begins with make_cudaExtent"),
        ({"helper": {"cudaMalloc": {"struct": "cudaExtent"}}}, r"helper\.cudaMalloc"),
    ],
)
def test_a_rule_that_fits_nothing_is_refused(document: dict[str, Any], message: str) -> None:
    for helper in document.get("helper", {}).values():
        helper["values"] = [0]
    with pytest.raises(RulesError, match=message):
        refuse(cuda(), rules.parse("cuda_runtime", document))


def test_a_shared_rule_passes_by_what_it_does_not_fit() -> None:
    """So that a new release's function is bound without the rule."""
    shared = {"family": {"cudaDo*": {"parameter": {"p": {"kind": "out"}}}}}
    api = made("int *")
    (form,) = made("int").functions["cudaDo"]
    api = Api(**{**_fields(api), "functions": {**api.functions, "cudaDoMore": (form,)}})
    refuse(api, rules.parse("cuda_runtime", shared))


def _fields(api: Api) -> dict[str, Any]:
    return {name: getattr(api, name) for name in api.__slots__}


@pytest.mark.parametrize("name", ["cuda_runtime", "hip_runtime", "nvrtc"])
def test_our_rules_fit(name: str) -> None:
    refuse(store.load(ROOT / "api_specs" / name / "api.json"), rules.load(name))


def test_every_kind_and_key_is_documented() -> None:
    text = page()
    assert text == (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    for name, kind in KINDS.items():
        assert f'### `kind = "{name}"`\n\n{kind.means}' in text
        for key in kind.keys:
            assert f"| `{key}` |" in text


def test_advice_names_kinds_that_there_are() -> None:
    for rule, others in (*LIKELY.values(), *SIZED.values()):
        assert {*others.split(", "), rule.split('"')[1]} <= KINDS.keys()
