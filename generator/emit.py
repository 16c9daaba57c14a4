"""From plans to the text of generated files: templates, and the little formatting they share."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from generator import manifest, rules, store, stubs
from generator.errors import GeneratorError
from generator.files import write_files
from generator.generated import generated_files
from generator.manifest import CODES
from generator.model import Api, CType, Field, Struct
from generator.plan import api as api_plan
from generator.plan import host as host_plan
from generator.plan import portable
from generator.plan.binding import (
    BindingPlan,
    Helper,
    Ownership,
    PublicName,
    StructField,
    StructLayout,
    StructLength,
    TypedCase,
    Wrapper,
)
from generator.plan.ctypes import declare, spell
from generator.plan.reachable import is_anonymous
from generator.plan.releases import NEWEST, OLDEST, number
from generator.plan.span import Span
from generator.releases import find_api
from generator.review import until_reviewed
from generator.rules.page import page as rules_page

ROOT = Path(__file__).resolve().parent.parent
SPECS = ROOT / "api_specs"
WIDTH = 110
PER_API = (
    "types.hpp",
    "traits.hpp",
    "entries.hpp",
    "entries.cpp",
    "functions.hpp",
    "enums.cpp",
    "handles.cpp",
    "helpers.cpp",
    "names.hpp",
    "names.cpp",
    "structs.cpp",
    "typed.cpp",
    "vendor.cpp",
)
PER_HOST = ("enumerators.hpp", "host_errors.cpp", "host_exports.cpp")


def render(specs: Path = SPECS, models: Mapping[str, Api] | None = None) -> dict[str, str]:
    """Every generated file by its path in the tree. Reads api_specs/ and templates/ alone.

    `models` are APIs that stand in for what their api.json has.
    """
    environment = _environment()
    apis = _listed(specs, models or {})
    plans = {name: _plan(name, specs, api) for name, api in apis.items()}
    files: dict[str, str] = {}
    for name, plan in plans.items():
        files |= {f"{name}/{path}": text for path, text in _render_api(environment, plan)}
    hosted = {name: plan for name, plan in plans.items() if plan.has("host")}
    implemented = host_plan.Implemented.load(specs, [one.namespace for one in hosted.values()])
    hosts = {}
    for name, plan in hosted.items():
        known = until_reviewed(apis[name], rules.load(name, specs).reviewed)
        version = find_api(specs, name).version
        hosts[name] = host_plan.plan(known, plan.manifest, version, implemented)
        for path in PER_HOST:
            files[f"{name}/{path}"] = _print(environment, path, plan=hosts[name])
    host_plan.check_shared(hosts.values(), implemented)
    core = [plan for plan in plans.values() if plan.in_core]
    files["apis.cpp"] = _print(environment, "apis.cpp", plans=core)
    for name, plan in plans.items():
        named: Sequence[portable.Portable] = ()
        if plan.manifest.stands_for:
            named = portable.names(plans[plan.manifest.stands_for], plan, portable.load(specs))
            files["portable.cpp"] = _print(environment, "portable.cpp", names=named)
        if plan.has("arrays"):
            text = _print(environment, "arrays.cpp", plan=plan)
            if plan.manifest.stands_for:
                text = portable.translated(text, plan, named)
            files[f"{name}/arrays.cpp"] = text
    package = stubs.render(environment, list(plans.values()))
    package["_apis.py"] = _print(environment, "apis.py", apis=_apis(plans, specs))
    for plan in plans.values():
        if not plan.in_core:
            package[f"{plan.namespace}/__init__.py"] = _print(environment, "api.py", plan=plan)
    return (
        {f"generated/{path}": text for path, text in files.items()}
        | {f"python/PyGPU/{path}": text for path, text in package.items()}
        | {"docs/rules.md": rules_page()}
    )


def _listed(specs: Path, models: Mapping[str, Api]) -> dict[str, Api]:
    """The APIs to plan. GeneratorError for one without a manifest or a list of releases."""
    known = manifest.names(specs)
    for name in known:
        for file in ("api.toml", "releases.toml"):
            if not (specs / name / file).is_file():
                raise GeneratorError(
                    f"{specs / name}: {name} has no {file}, so nothing would be generated"
                )
    return {
        name: models[name] if name in models else store.load(specs / name / "api.json")
        for name in known
    }


def _plan(name: str, specs: Path, api: Api | None = None) -> BindingPlan:
    """The plan of one API. A rule that decides nothing is a mistake, and told as one."""
    api = api or store.load(specs / name / "api.json")
    known = rules.load(name, specs)
    if unmatched := rules.unmatched(known, api):
        raise rules.RulesError(
            f"api_specs/{name}/rules.toml: matches nothing in any listed release: "
            + ", ".join(unmatched)
        )
    try:
        plan = api_plan.plan(api, known, manifest.load(name, specs))
    except GeneratorError as error:
        at = "" if str(error).startswith("api_specs/") else f"api_specs/{name}: "
        raise GeneratorError(f"{at}{error}") from None
    if not plan.groups:
        raise GeneratorError(f"{name}: no function is bound, so nothing would be generated")
    return plan


def _apis(plans: Mapping[str, BindingPlan], specs: Path) -> Iterator[Mapping[str, object]]:
    """What the package knows of each API."""
    for name, plan in plans.items():
        packages = find_api(specs, name).packages
        wheels = {int(major): package.name for major, package in packages.items()}
        yield {"plan": plan, "wheels": wheels}


def _render_api(environment: Environment, plan: BindingPlan) -> Iterator[tuple[str, str]]:
    for path in PER_API if plan.in_core else (*PER_API, "extension.cpp"):
        yield path, _print(environment, path, plan=plan)
    for group, wrappers in plan.groups.items():
        given = {
            "plan": plan,
            "group": group,
            "title": group.replace("_", " "),
            "wrappers": wrappers,
        }
        for suffix in ("hpp", "cpp"):
            yield f"{group}.{suffix}", _print(environment, f"group.{suffix}", **given)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(ROOT / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters |= {
        "wrapped": wrapped,
        "literal": literal,
        "identifier": identifier,
        "python": python_literal,
    }
    environment.globals |= {
        "anonymous": is_anonymous,
        "declarations": declarations,
        "head": head,
        "keywords": keywords,
        "call": call,
        "doc": doc,
        "fallbacks": fallbacks,
        "give_up": give_up,
        "limits": limits,
        "layout_limits": layout_limits,
        "place": place,
        "positional": positional,
        "statuses": statuses,
        "release_call": release_call,
        "driver_call": driver_call,
        "cross_checks": cross_checks,
        "struct_field": struct_field,
        "struct_length": struct_length,
        "typed_case": typed_case,
        "host_parameters": host_parameters,
        "host_call": host_call,
        "size_requirements": size_requirements,
        "requirement_parameters": requirement_parameters,
    }
    return environment


def _print(environment: Environment, path: str, **given: object) -> str:
    return environment.get_template(f"{path}.j2").render(**given)


def wrapped(text: str, indent: int, first: int = 0, whole: bool = False) -> str:
    """The text broken at ", " so that lines stay within the width; later lines are indented.

    With `whole`, lists of template arguments are not broken.
    """
    lines, line, room = [], "", WIDTH - (first or indent)
    for piece in _pieces(text, whole):
        joined = f"{line}, {piece}" if line else piece
        if line and len(joined) > room:
            lines.append(f"{line},")
            line, room = piece, WIDTH - indent
        else:
            line = joined
    return f"\n{' ' * indent}".join([*lines, line])


def _pieces(text: str, whole: bool) -> Iterator[str]:
    piece = ""
    for part in text.split(", "):
        piece = f"{piece}, {part}" if piece else part
        if not whole or piece.count("<") == piece.count(">"):
            yield piece
            piece = ""


def literal(text: str | None) -> str:
    """A C++ string literal, or nullptr."""
    if text is None:
        return "nullptr"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def python_literal(value: object) -> str:
    """A value as Python code, with the quotes that a formatter would choose."""
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(python_literal, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, Mapping):
        pairs = (f"{python_literal(key)}: {python_literal(one)}" for key, one in value.items())
        return f"{{{', '.join(pairs)}}}"
    return repr(value)


def head(wrapper: Wrapper) -> str:
    """The first line of a wrapper."""
    gap = "" if wrapper.result_type.endswith("*") else " "
    start = f"inline {wrapper.result_type}{gap}{wrapper.name}("
    if len(start) > 70:
        result = wrapped(wrapper.result_type, 18, 7)
        start = f"{wrapper.name}("
        listed = ", ".join(_parameter(one.type, one.name) for one in wrapper.inputs)
        return f"inline {result}\n{start}{wrapped(listed, len(start), len(start) + 3, True)})"
    listed = ", ".join(_parameter(one.type, one.name) for one in wrapper.inputs)
    return start + wrapped(listed, min(len(start), 40), len(start) + 4, True) + ")"


def limits(one: PublicName | Span) -> str:
    """The releases that have a name, where not all do."""
    return "" if (one.since, one.until) == (OLDEST, NEWEST) else f", {one.since}, {one.until}"


def layout_limits(plan: BindingPlan, layout: StructLayout, lengths: str) -> str:
    """The releases that have a layout, open where the list of releases ends; then its lengths."""
    since, until = number(layout.since), number(layout.until)
    since = OLDEST if since == plan.releases[0] else since
    until = NEWEST if until == plan.releases[-1] else until
    if layout.lengths:
        return f", {since}, {until}, {lengths}"
    if until != NEWEST:
        return f", {since}, {until}"
    return "" if since == OLDEST else f", {since}"


def struct_length(plan: BindingPlan, one: StructLength) -> str:
    """One statement about a pointer in a struct, or about a member with such pointers."""
    path = literal(one.path)
    if one.nested:
        struct, layout = one.nested
        inner = f"lengths_{identifier(plan.struct_types[struct].tag)}_{layout}"
        text = f"it.enter({one.offset}, {path}, {inner});"
        return f"if (bool({one.when})) {text}" if one.when else text
    known = "given != Memory::unknown" + (f" && {one.when}" if one.when else "")
    need = f"it.need({path}, given, {wrapped(str(one.bytes), 16)});"
    return f"if (const auto given = it.given({one.offset}); {known})\n        {need}"


def identifier(tag: str) -> str:
    """A struct's tag as C++ can say it: members of others have a dot."""
    return tag.replace(".", "_")


def place(plan: BindingPlan, kind: str, index: int) -> str:
    """The place of an enum, handle or struct by name, so that one more of them moves no other."""
    match kind.removesuffix("_type"):
        case "enum" | "enumerator" | "enumeration":
            return f"enum_at::{plan.enums[index].name}"
        case "handle":
            return f"handle_at::{plan.handles[index].name}"
        case "struct" | "nested":
            return f"struct_at::{identifier(plan.struct_types[index].tag)}"
        case _:
            return "0"


def give_up(wrapper: Wrapper) -> str:
    """The result of a wrapper that fails while it asks for a count."""
    return ", ".join([*(f"{type}{{}}" for type in wrapper.result_types), "asked"])


def call(wrapper: Wrapper, result: str) -> str:
    """The C call, assigned or returned."""
    start = f"{result}entries.{wrapper.name}("
    return start + wrapped(", ".join(wrapper.arguments), 8, len(start) + 8) + ");"


def fallbacks(wrapper: Wrapper) -> str:
    """The numbers of a row for parameters that are left out; the optional ones come last."""
    return ", ".join(str(one.default) for one in wrapper.inputs if one.default is not None)


def keywords(owned: Ownership) -> str:
    """Names with their defaults, where they have one."""
    return ", ".join(
        f"{literal(one.python_name)}" if one.default is None
        else f"Keyword{{{literal(one.python_name)}, nullptr}}" if one.python_name in owned.optional
        else f"Keyword{{{literal(one.python_name)}, {one.default}}}"
        for one in owned.keywords
    )  # fmt: skip


def doc(wrapper: Wrapper | Helper) -> str:
    """The docstring, with the signature line that inspect reads."""
    lines = [f"{wrapper.signature}\n--\n\n", *(f"{line}\n" for line in wrapper.doc)]
    return ("\n" + " " * 11).join(literal(line) for line in lines)


def positional(wrapper: Wrapper) -> int:
    """How many parameters may be given by position."""
    return sum(not one.keyword_only for one in wrapper.inputs)


def cross_checks(wrapper: Wrapper) -> str:
    """The pairs of inputs that are settled together."""
    return ", ".join(f"CrossCheck<{one.index}, {one.other}>{{}}" for one in wrapper.cross_checks)


def struct_field(plan: BindingPlan, layout: StructLayout, field: StructField) -> str:
    """One row of a struct's table; what has its usual value is left out."""
    given = [
        f".name = {literal(field.name)}",
        f".type = {literal(field.type)}",
        f".offset = {field.offset}",
        f".size = {field.size}",
    ]
    names = [one.name for one in layout.fields]
    usual = {"count": 0, "index": "0", "layout": 0, "bit": 0, "bits": 0, "default_value": 0}
    shown = {
        "count": field.count,
        "index": place(plan, field.role, field.index),
        "layout": field.layout,
        "bit": field.bit,
        "bits": field.bits,
        "default_value": field.default,
    }
    given += [f".{key} = {value}" for key, value in shown.items() if value != usual[key]]
    if field.scalar != "u64":
        given.append(f".scalar = Scalar::{field.scalar}")
    if field.role != "plain":
        given.append(f".role = Role::{field.role}")
    if field.boolean:
        given.append(".boolean = true")
    if not field.positional:
        given.append(".positional = false")
    if field.counted_by:
        given.append(f".counted_by = {names.index(field.counted_by)}")
        given.append(f".item_role = Role::{field.item_role}")
        given.append(f".item_index = {place(plan, field.item_role, field.item_index)}")
        given.append(f".item_size = {field.item_size}")
    elif field.item_role != "plain":
        given.append(f".item_role = Role::{field.item_role}")
        if field.item_index:
            given.append(f".item_index = {field.item_index}")
    if field.other:
        given.append(f".other = {field.other}")
    if field.lent:
        given.append(".lent = true")
    return wrapped(", ".join(given), 9)


def typed_case(plan: BindingPlan, one: TypedCase) -> str:
    """One row of a table of typed values; what has its usual value is left out."""
    given = [f"{one.enumerator}, {literal(one.name)}"]
    if one.field:
        alone = StructLayout("", "", one.field.size, (one.field,))
        given.append(f"{{{' '.join(struct_field(plan, alone, one.field).split())}}}")
    else:
        given.append("{}")
    flags = {"by_value": one.by_value, "array": one.array, "written": one.written}
    last = max((at for at, flag in enumerate(flags.values()) if flag), default=-1)
    values = ["true" if flag else "false" for flag in flags.values()]
    if (one.since, one.until) != (OLDEST, NEWEST):
        given += [*values, str(one.size_of), str(one.since), str(one.until)]
    elif one.size_of:
        given += [*values, str(one.size_of)]
    else:
        given += values[: last + 1]
    return wrapped(", ".join(given), 5)


def statuses(plan: BindingPlan) -> str:
    """The codes that mean something to PyGPU itself."""
    given = (one for one in CODES if one in plan.codes)
    return ", ".join(f".{meaning} = {plan.codes[meaning]}" for meaning in given)


def release_call(plan: BindingPlan) -> str:
    """How the library tells its release, where it is asked."""
    how = plan.manifest.release
    if how is None:
        return ""
    given = [literal(how.call), str(how.major), str(how.minor), str(how.constant_from)]
    return ", ".join([*given, "exported"] if how.exports else given)


def driver_call(plan: BindingPlan) -> str:
    """How the driver tells its version, where it can."""
    driver = plan.manifest.driver
    if driver is None or driver.version is None:
        return ""
    return f"{literal(driver.library)}, {literal(driver.version)}"


def requirement_parameters(wrapper: Wrapper) -> str:
    """The parameters of SizeRequirements::of: those that no length mentions have no name."""
    used = " ".join(need.size for need in wrapper.size_requirements)
    words = set(_words(used))
    return ", ".join(
        f"[[maybe_unused]] auto {one.name}" if one.name in words else "auto"
        for one in wrapper.inputs
    )


def size_requirements(wrapper: Wrapper) -> str:
    """The elements of SizeRequirements::of."""
    return ", ".join(
        f"SizeRequirement{{{need.index}, static_cast<size_t>({need.size})}}"
        for need in wrapper.size_requirements
    )


def host_parameters(export: host_plan.Export) -> str:
    """The parameters of an exported function, without names where nothing uses them."""
    if export.call or not export.parameters:
        return export.parameters
    return ", ".join(_without_name(text) for text in export.parameters.split(", "))


def _without_name(declaration: str) -> str:
    """`const char *text` is `const char *`."""
    head, star, _ = declaration.rpartition("*")
    return head + star if star else declaration.rpartition(" ")[0]


def host_call(plan: host_plan.HostPlan, export: host_plan.Export) -> str:
    """The call of the implementation, its arguments in the neutral form."""
    arguments = ", ".join(f"as({one})" for one in export.arguments)
    return f"host::{plan.namespace}::{export.call}({arguments})"


def _words(text: str) -> list[str]:
    return "".join(char if char.isalnum() or char == "_" else " " for char in text).split()


def _parameter(type: str, name: str) -> str:
    return f"{type}{name}" if type.endswith("*") else f"{type} {name}"


def declarations(plan: BindingPlan) -> Iterator[str]:
    """Aliases, callbacks and struct definitions, each after what it needs."""
    for alias in plan.aliases:
        if alias.name != "size_t":
            yield f"using {alias.name} = {spell(alias.type)};"
    for callback in plan.callbacks:
        listed = ", ".join(declare(one.type, one.name).strip() for one in callback.parameters)
        name = spell(CType(callback.name))
        yield f"using {name} = {callback.result} (*)({listed});"
    for struct in plan.structs:
        if not is_anonymous(struct.name):
            yield _definition(struct, plan.anonymous, "", struct.name) + ";"


def _definition(struct: Struct, structs: Mapping[str, Struct], indent: str, name: str) -> str:
    head = f"{struct.kind} {name}".rstrip()
    body = "".join(f"{indent}    {_member(one, structs, indent)};\n" for one in struct.fields)
    return f"{head} {{\n{body}{indent}}}"


def _member(field: Field, structs: Mapping[str, Struct], indent: str) -> str:
    nested = structs.get(field.type.base)
    if nested:
        bounds = "".join(f"[{extent}]" for extent in field.type.extents)
        text = _definition(nested, structs, indent + "    ", "")
        return f"{text} {field.name}{bounds}".rstrip()
    text = declare(field.type, field.name)
    return text if field.bits is None else f"{text} : {field.bits}"


def write(
    files: Mapping[str, str], root: Path = ROOT, also: Mapping[Path, str] | None = None
) -> Sequence[str]:
    """Writes what differs, removes what is no longer generated; returns the paths it touched.

    `also` are files that change together with them, or not at all.
    """
    changes: dict[Path, str | None] = {root / path: text for path, text in files.items()}
    for target in generated_files(root):
        changes.setdefault(target, None)
    touched = write_files({**(also or {}), **changes})
    return [path.relative_to(root).as_posix() for path in touched if path in changes]
