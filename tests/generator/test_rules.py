"""rules.toml: what it may contain, which rule wins, and that a mistake names its key."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generator import manifest, rules, store
from generator.errors import GeneratorError
from generator.model import Api, CType, Enum, Enumerator, Function, Parameter, Source, Variant
from generator.plan.api import plan
from generator.rules import RulesError
from generator.toml import tomllib
from tests import reviewed

SPECS = Path(__file__).parents[2] / "api_specs"
HERE = Source("made_up.h", 1)
CUDA = manifest.load("cuda_runtime", SPECS)


def function(name: str, *parameters: tuple[str, str]) -> Function:
    listed = tuple(Parameter(name, CType.parse(type)) for type, name in parameters)
    return Function(name, name, CType("Error_t"), listed, "", HERE)


def api(*functions: Function, enums: tuple[Enum, ...] = ()) -> Api:
    forms: dict[str, tuple[Variant[Function], ...]] = {}
    for one in functions:
        forms[one.name] = (*forms.get(one.name, ()), Variant("1", "1", one))
    named = {one.name: (Variant("1", "1", one),) for one in enums}
    return Api("made_up", ("1",), forms, {}, named, {}, {}, {}, {})


def parameter(**keys: Any) -> dict[str, Any]:
    return {"parameter": keys}


COPY = function("copy", ("void *", "to"), ("size_t", "bytes"))
COPY_V2 = function("copy_v2_spt", ("void *", "to"), ("size_t", "bytes"))


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        ({"function": {"copy_v2_spt": parameter(to={"kind": "out"})}}, "out"),
        ({"function": {"copy_v2": parameter(to={"kind": "image"})}}, "image"),
        ({"function": {"copy": parameter(to={"kind": "text"})}}, "text"),
        ({"family": {"cop*": parameter(to={"kind": "address"})}}, "address"),
        ({"parameter": {"to": {"type": "void *", "kind": "function"}}}, "function"),
        ({"type": {"void*": {"kind": "value"}}}, "value"),
        ({"parameter": {"to": {"type": "const void *", "kind": "function"}}}, None),
        ({"function": {"copy_v2": parameter(to={"kind": "text", "type": "char *"})}}, None),
    ],
)
def test_where_a_rule_is_found(document: dict[str, Any], kind: str | None) -> None:
    found = rules.parse("made_up", document).parameter(COPY_V2, COPY_V2.parameters[0])
    assert (found.kind if found else None) == kind


def test_the_closest_rule_wins() -> None:
    levels: list[dict[str, Any]] = [
        {"function": {"copy_v2_spt": parameter(to={"kind": "out"})}},
        {"function": {"copy_v2": parameter(to={"kind": "image"})}},
        {"function": {"copy": parameter(to={"kind": "text"})}},
        {"family": {"copy_v2*": parameter(to={"kind": "address"})}},
        {"family": {"c*": parameter(to={"kind": "writable"})}},
        {"parameter": {"to": {"type": "void *", "kind": "function"}}},
        {"type": {"void *": {"kind": "value"}}},
    ]
    while levels:
        document: dict[str, Any] = {}
        for level in levels:
            for table, content in level.items():
                document.setdefault(table, {}).update(content)
        found = rules.parse("made_up", document).parameter(COPY_V2, COPY_V2.parameters[0])
        first = rules.parse("made_up", levels.pop(0))
        assert found == first.parameter(COPY_V2, COPY_V2.parameters[0])


def test_a_family_passes_by_a_function_without_the_parameters_it_names() -> None:
    document = {"family": {"c*": parameter(to={"kind": "writable", "length": "count"})}}
    assert rules.parse("made_up", document).parameter(COPY, COPY.parameters[0]) is None


def test_what_is_said_of_a_function() -> None:
    found = rules.parse(
        "made_up",
        {
            "function": {"copy": {"gil": "keep"}, "query": {"checked": "ready"}},
            "family": {"__*": {"exclude": "a compiler's"}},
        },
    )
    assert [found.gil(name) for name in ("copy", "copy_v2", "query")] == ["keep", "keep", "release"]
    assert [found.checked(name) for name in ("query_spt", "copy")] == ["ready", "error"]
    assert [found.exclude(name) for name in ("__push", "copy")] == ["a compiler's", None]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"functions": {}}, "functions: unknown key"),
        ({"family": {"f*": {"adapt": ["12.4"]}}}, 'family."f*".adapt: unknown key'),
        (
            {"function": {"f": {"absent": "error_nam"}}},
            "function.f.absent: 'error_name' or 'error_text' is needed, not 'error_nam'",
        ),
        ({"function": {"f": {"exclude": "x", "gil": "keep"}}}, "function.f.exclude: an excluded"),
        (
            {"function": {"f": {"reason": "a\nb"}}},
            "function.f.reason: a text on one line is needed",
        ),
        (
            {"function": {"f": parameter(p={"kind": "count"})}},
            "function.f.parameter.p.kind: 'value' or 'readable' or ",
        ),
        (
            {"function": {"f": parameter(p={"kind": "out_array"})}},
            "function.f.parameter.p: kind = 'out_array' needs count or length or asked_by",
        ),
        (
            {"function": {"f": parameter(p={"kind": "out_text"})}},
            "function.f.parameter.p: kind = 'out_text' needs capacity or asked_by",
        ),
        (
            {
                "function": {
                    "f": parameter(
                        p={"kind": "callback", "user_data": "d", "lives": "once", "holder": "h"}
                    )
                }
            },
            "function.f.parameter.p: holder needs until",
        ),
        (
            {"handle": {"H": {"create": "c", "destroy": "d", "optional": "n"}}},
            "handle.H.optional: a list of names is needed, not 'n'",
        ),
        (
            {"function": {"f": parameter(p={"kind": "out", "initial": 2**64})}},
            "function.f.parameter.p.initial: 18446744073709551616 doesn't fit",
        ),
        (
            {"function": {"f": parameter(p={"kind": "out", "as": "int[2]"})}},
            "function.f.parameter.p.as: a C type is needed",
        ),
        (
            {"function": {"f": parameter(p={"kind": "array", "count": "a b"})}},
            "function.f.parameter.p.count: a parameter's name is needed",
        ),
        (
            {"function": {"f": parameter(p={"kind": "readable", "length": "n+" * 400 + "n"})}},
            "function.f.parameter.p.length: a length of 801 letters",
        ),
        ({"type": {"int[": {"kind": "out"}}}, 'type."int[": a C type is needed'),
        (
            {"type": {"int*": {"kind": "out"}, "int *": {"kind": "out"}}},
            'type."int *": the same type as type."int*"',
        ),
        (
            {"handle": {"H": {"create": "c", "destroy": "d", "special": 1, "own": 2}}},
            "handle.H: special is at least own",
        ),
        ({"struct": {"S": {"length": {"p": {}}}}}, "struct.S.length.p: has neither bytes nor"),
        ({"struct": {"S": {"field": {"x": {}}}}}, "struct.S.field.x: has neither kind nor default"),
        ({"function": {"f": {"gill": "keep"}}}, "function.f.gill: unknown key"),
        (
            {"function": {"f": {"gil": "hold"}}},
            "function.f.gil: 'keep' or 'release' is needed, not 'hold'",
        ),
        ({"function": {"f": {"exclude": ""}}}, "function.f.exclude: a text on one line is needed"),
        ({"function": {"f": {"parameter": 1}}}, "function.f.parameter: a table is needed"),
        ({"function": {"f": parameter(p={})}}, "function.f.parameter.p: kind is missing"),
        (
            {"function": {"f": parameter(p={"kind": "output"})}},
            "function.f.parameter.p.kind: 'value' or 'readable' or ",
        ),
        (
            {"function": {"f": parameter(p={"kind": "out", "count": "n"})}},
            "function.f.parameter.p.count: unknown key",
        ),
        (
            {"function": {"f": parameter(p={"kind": "raw"})}},
            "function.f.parameter.p: reason is missing",
        ),
        (
            {"function": {"f": parameter(p={"kind": "callback", "user_data": "d"})}},
            "function.f.parameter.p: lives is missing",
        ),
        (
            {
                "function": {
                    "f": parameter(
                        p={"kind": "callback", "user_data": "d", "lives": "once", "until": "g"}
                    )
                }
            },
            'function.f.parameter.p: lives = "registered" needs until',
        ),
        (
            {"function": {"f": parameter(p={"kind": "readable", "length": "n % 2"})}},
            "function.f.parameter.p.length: 'n % 2' can't be part of a length",
        ),
        (
            {"function": {"f": parameter(p={"kind": "readable", "length": "element(n)"})}},
            "function.f.parameter.p.length: 'element(n)' can't be part of a length",
        ),
        (
            {"function": {"f": parameter(p={"kind": "address", "frees": 1})}},
            "function.f.parameter.p.frees: true is needed, not ",
        ),
        (
            {"struct": {"S": {"length": {"p": {"byte": "n"}}}}},
            "struct.S.length.p.byte: unknown key",
        ),
        (
            {"struct": {"S": {"length": {"a.p": {"bytes": "n", "when": "n % 2"}}}}},
            "struct.S.length.a.p.when: 'n % 2' can't be part of a length",
        ),
        (
            {"function": {"f": parameter(p={"kind": "out", "valid_on": []})}},
            "function.f.parameter.p.valid_on: a list of error names, or 'any' is needed",
        ),
        (
            {"family": {"f*": parameter(p={"kind": "struct", "identity": "yes"})}},
            'family."f*".parameter.p.identity: true is needed, not ',
        ),
        (
            {"function": {"f": parameter(p={"kind": "out", "lacking": "12.4"})}},
            "function.f.parameter.p.lacking: true is needed, not ",
        ),
        (
            {"function": {"f": {"adapt": ["12"]}}},
            "function.f.adapt[0]: a release such as 13.0 is needed",
        ),
        ({"parameter": {"p": {"kind": "out"}}}, "parameter.p: a rule for the whole API needs"),
        (
            {"typed": {"E": {"value": {"a": {"type": "int", "by_value": "true"}}}}},
            "typed.E.value.a.by_value: true is needed, not ",
        ),
        ({"typed": {"E": {"value": {"a": {}}}}}, "typed.E.value.a: give type or field"),
        ({"typed": {"E": {"value": {"a": {"typ": "int"}}}}}, "typed.E.value.a.typ: unknown key"),
        ({"handle": {"H": {"create": "c"}}}, "handle.H: destroy is missing"),
        (
            {"handle": {"H": {"create": "c", "destroy": "d", "special": "2"}}},
            "handle.H.special: a number is needed",
        ),
        (
            {"handle": {"H": {"create": "c", "destroy": "d", "own": True}}},
            "handle.H.own: a number is needed",
        ),
        ({"helper": {"m": {"struct": "S"}}}, "helper.m: give parameters or values"),
        ({"helper": {"m": {"values": []}}}, "helper.m: struct is missing"),
        (
            {"helper": {"m": {"struct": "S", "values": [True]}}},
            "helper.m.values[0]: a number or a text is needed",
        ),
        (
            {
                "function": {
                    "f": parameter(
                        p={"kind": "typed_by", "by": "e", "direction": "in", "table": "t"}
                    )
                }
            },
            "function.f.parameter.p.table: there is no [typed.t]",
        ),
    ],
)
def test_a_mistake_names_its_key(document: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError) as caught:
        rules.parse("made_up", document)
    assert str(caught.value).startswith(message)


def test_a_misspelt_kind_is_recognised() -> None:
    document = {"function": {"f": parameter(p={"kind": "outt"})}}
    with pytest.raises(RulesError, match=r"'raw' is needed, not 'outt'\. Did you mean 'out'\?$"):
        rules.parse("made_up", document)


def test_a_mistake_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "made_up").mkdir()
    path = tmp_path / "made_up" / "rules.toml"
    for text in ("[function", "[functions]"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(RulesError, match=str(path)):
            rules.load("made_up", tmp_path)
    assert not rules.load("another", tmp_path).functions


def test_rules_that_match_nothing() -> None:
    found = rules.parse(
        "made_up",
        {
            "function": {
                "copy": {"gil": "keep", **parameter(to={"kind": "out"}, from_={"kind": "out"})},
                "gone": {"checked": "ready", **parameter(p={"kind": "out"})},
            },
            "family": {
                "copy*": parameter(to={"kind": "struct"}),  # the function's own rule always wins
                "cop*": {"gil": "keep"},
            },
            "parameter": {"bytes": {"type": "int", "kind": "value"}},
            "type": {"size_t": {"kind": "value"}, "long": {"kind": "value"}},
            "typed": {"E": {"value": {"known": "int", "unknown": "int"}}},
        },
    )
    enum = Enum("E", "int", (Enumerator("known", 1),), HERE)
    assert rules.unmatched(found, api(COPY, enums=(enum,))) == [
        'family."cop*".gil',
        'family."copy*".parameter.to',
        "function.copy.parameter.from_",
        "function.gone",
        "function.gone.checked",
        "function.gone.parameter.p",
        "parameter.bytes",
        'type."long"',
        "typed.E.value.unknown",
    ]


@pytest.mark.parametrize("name", ["cuda_runtime", "hip_runtime"])
def test_every_rule_of_ours_matches(name: str) -> None:
    assert rules.unmatched(rules.load(name), store.load(SPECS / name / "api.json")) == []


@pytest.mark.parametrize("name", ["cuda_runtime", "hip_runtime"])
def test_typed_values_are_complete(name: str) -> None:
    """Each enumerator has a type, and the headers have every type and member."""
    known = rules.load(name)
    model = store.load(SPECS / name / "api.json")
    assert known.typed
    for table in known.typed.values():
        named = {one.name for form in model.enums[table.enum] for one in form.node.enumerators}
        assert reviewed.enumerators(model, table.enum) <= table.values.keys() <= named, table.name
        for value in filter(None, table.values.values()):
            if value.size_of:
                assert value.size_of in table.values
            if value.type and not CType.parse(value.type).is_pointer:
                base = CType.parse(value.type).base
                scalars = {"int", "unsigned int", "uint64_t", "size_t", "float", "bool"}
                kinds = (model.enums, model.structs, model.handles, model.aliases)
                assert base in scalars or any(base in kind for kind in kinds), value


@pytest.mark.parametrize(
    ("name", "create", "destroy", "said"),
    [
        ("cudaNone_t", "cudaGraphCreate", "cudaGraphDestroy", "handle.cudaNone_t: no function"),
        ("cudaGraph_t", "cudaGraphMake", "cudaGraphDestroy", "create: no function cudaGraphMake"),
        ("cudaGraph_t", "cudaEventCreate", "cudaGraphDestroy", "cudaEventCreate gives something"),
        ("cudaGraph_t", "cudaGraphCreate", "cudaGraphGetNodes", "cudaGraphGetNodes takes"),
    ],
)
def test_an_owner_that_cannot_be_is_said(name: str, create: str, destroy: str, said: str) -> None:
    known = rules.load("cuda_runtime")
    handles = {name: rules.HandleRule(name, create, destroy, 0)}
    with pytest.raises(GeneratorError, match=said):
        plan(store.load(SPECS / "cuda_runtime" / "api.json"), replace(known, handles=handles), CUDA)


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ('"cudaLibraryGetKernelCount"', '"cudaNone"', "there is no function cudaNone to ask for"),
        (
            'valid_on = ["cudaErrorG',
            'valid_on = ["G',
            "valid_on: 'GraphExecUpdateF",
        ),
        ('count = "numDevices"', 'count = "launchParamsList"', "launchParamsList is no count"),
        (
            'UsedMemHigh = "uint64_t"',
            'UsedMemHigh = "u"',
            "MemPoolAttrUsedMemHigh: u can't be",
        ),
        (
            'field = "cooperative"',
            'field = "x"',
            "LaunchAttributeCooperative: cudaLaunchAttr",
        ),
        ('"cudaJitInfoLogBufferSizeBytes"', '"x"', "value.cudaJitInfoLogBuffer: cudaJitOption has"),
        ('"cudaChannelFormatKindFloat"', '"x"', "helper.cudaCreateChannelDescHalf: 'x' is neither"),
        ('field.name = { kind = "text" }', 'field.major = { kind = "text" }', "int is nothing for"),
    ],
)
def test_a_mistake_that_the_headers_show_names_its_place(right: str, wrong: str, said: str) -> None:
    text = (SPECS / "cuda_runtime" / "rules.toml").read_text(encoding="utf-8")
    assert right in text
    known = rules.parse("cuda_runtime", tomllib.loads(text.replace(right, wrong, 1)))
    with pytest.raises(GeneratorError, match=said):
        plan(store.load(SPECS / "cuda_runtime" / "api.json"), known, CUDA)
