"""From plans to the text of generated files, by templates and some shared formatting."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from generator import cpp, manifest, rules, store, stubs, summaries
from generator.errors import GeneratorError
from generator.files import write_files
from generator.generated import generated_files
from generator.model import Api
from generator.plan import api as api_plan
from generator.plan import host as host_plan
from generator.plan import host_library, portable
from generator.plan.binding import BindingPlan
from generator.plan.reachable import is_anonymous
from generator.plan.roles import Roles
from generator.plan.spelling import beside
from generator.releases import find_api
from generator.review import until_reviewed
from generator.rules.page import page as rules_page

ROOT = Path(__file__).resolve().parent.parent
SPECS = ROOT / "api_specs"
PER_API = (
    "types.hpp",
    "traits.hpp",
    "entries.hpp",
    "entries.cpp",
    "functions.hpp",
    "handles.cpp",
    "helpers.cpp",
    "names.hpp",
    "names.cpp",
    "names.inc",
    "structs.cpp",
    "typed.cpp",
    "vendor.cpp",
)
PER_HOST = ("host_errors.cpp", "host_exports.cpp", "host_exports.inc")


def render(specs: Path = SPECS, models: Mapping[str, Api] | None = None) -> dict[str, str]:
    """Every generated file by its path in the tree. Reads api_specs/ and templates/ alone.

    `models` are used in place of an API's api.json. The files that several APIs share belong to
    PyGPU: a tree without the runtimes, such as that of a user's own header, has none of them.
    """
    environment = make_environment()
    apis = _listed(specs, models or {})
    plans = make_plans(specs, apis)
    _check_namespaces(plans)
    in_package = {name: plan for name, plan in plans.items() if not plan.manifest.own_package}
    served = {name: _served(plan, specs, plans) for name, plan in plans.items()}
    its = {name: _roles(plan, plans, served[name]) for name, plan in plans.items()}
    files: dict[str, str] = {}
    for name, plan in plans.items():
        entry = _entry(plan, specs, plans, its)
        with cpp.naming(type_names(plan)), beside(plan.changeable):
            files |= {
                f"{plan.home}generated/{name}/{path}": text
                for path, text in _render_api(environment, plan, plans, its[name])
            }
            files |= {
                f"{plan.home}python/{path}": text
                for path, text in _render_module(environment, entry)
            }
    if any(plan.in_core for plan in plans.values()):
        files |= _render_core(environment, specs, apis, in_package, served, its)
        package = stubs.render_shared(environment, list(in_package.values()))
        entries = [_entry(plan, specs, plans, its) for plan in in_package.values()]
        package["_apis/__init__.py"] = _print(environment, "apis.py", apis=entries)
        package["doctor/_vendors.py"] = _print(environment, "doctor_vendors.py", apis=entries)
        package["_kernels/_vendors.py"] = _print(environment, "kernels_vendors.py", apis=entries)
        files |= {f"python/PyGPU/{path}": text for path, text in package.items()}
        files["docs/rules.md"] = rules_page()
    for roles in its.values():
        roles.check()
    return files


def _served(
    plan: BindingPlan, specs: Path, plans: Mapping[str, BindingPlan]
) -> Mapping[str, Sequence[portable.Portable]]:
    """The names that an API serves, by the APIs that it stands for."""
    return {
        other: portable.names(plans[other], plan, portable.load(specs, plan.api, other))
        for other in plan.manifest.stands_for
    }


def _roles(
    plan: BindingPlan,
    plans: Mapping[str, BindingPlan],
    served: Mapping[str, Sequence[portable.Portable]],
) -> Roles:
    first = next(iter(served), None)
    return Roles(plan, plans[first].manifest, served[first]) if first else Roles(plan)


def _render_core(
    environment: Environment,
    specs: Path,
    apis: Mapping[str, Api],
    plans: Mapping[str, BindingPlan],
    served: Mapping[str, Mapping[str, Sequence[portable.Portable]]],
    its: Mapping[str, Roles],
) -> dict[str, str]:
    """The further files of C++: the runtimes' own, and those that join two APIs."""
    files: dict[str, str] = {}
    hosted = {name: plan for name, plan in plans.items() if plan.has("host")}
    implemented = host_plan.Implemented.load(specs, [one.namespace for one in hosted.values()])
    hosts = {}
    for name, plan in hosted.items():
        known = until_reviewed(apis[name], rules.load(name, specs).reviewed)
        version = find_api(specs, name).version
        hosts[name] = host_plan.plan(known, plan.manifest, version, implemented)
        for path in PER_HOST:
            files[f"generated/{name}/{path}"] = _print(environment, path, plan=hosts[name])
    host_plan.check_shared(hosts.values(), implemented)
    files["generated/host_apis.hpp"] = _print(
        environment, "host_apis.hpp", plans=list(hosts.values())
    )
    files |= _host_libraries(environment, specs, apis, plans)
    core = [plan for plan in plans.values() if plan.in_core]
    files["generated/apis.cpp"] = _print(environment, "apis.cpp", plans=core)
    for name, plan in plans.items():
        for other, names in served[name].items():
            exceptions = portable.load(specs, name, other)
            values: dict[str, object] = {
                "names": names,
                "adapted": portable.adapted(plans[other], names),
                "own_types": exceptions.own_types,
            }
            path = f"{plan.home}generated/{name}/portable_{plans[other].namespace}.cpp"
            files[path] = _print(
                environment, "portable_names.cpp", plan=plan, cuda=plans[other], **values
            )
            if exceptions.formulas:
                path = f"{plan.home}python/PyGPU/_{plan.namespace}_as_{plans[other].namespace}.py"
                its_formulas = exceptions.formulas_of(plans[other], plan)
                files[path] = _print(
                    environment, "formulas.py", plan=plan, cuda=plans[other], its=its_formulas
                )
                stubs.refuse_what_is_no_python(path, files[path])
        if plan.has("arrays"):
            kernels = plan.manifest.kernels
            launches = kernels.api if kernels and kernels.launch_clusters else None
            driver = next((one for one in plans.values() if one.namespace == launches), None)
            values = {"its": its[name], "clusters": driver, "driver": driver and its[driver.api]}
            files[f"generated/{name}/arrays.cpp"] = _print(
                environment, "arrays.cpp", plan=plan, **values
            )
    return files


def _host_libraries(
    environment: Environment,
    specs: Path,
    apis: Mapping[str, Api],
    plans: Mapping[str, BindingPlan],
) -> Iterator[tuple[str, str]]:
    """The tables of the libraries that the host runtime has beside its own."""
    with_one = {name: plan for name, plan in plans.items() if plan.has("host_library")}
    lists = host_library.load(specs, [one.namespace for one in with_one.values()])
    for name, plan in with_one.items():
        known = until_reviewed(apis[name], rules.load(name, specs).reviewed)
        library = host_library.plan(known, plan.manifest, lists[plan.namespace])
        path = f"{plan.home}generated/{name}/host_library.inc"
        yield path, _print(environment, "host_library.inc", plan=library)


def make_plans(specs: Path, apis: Mapping[str, Api] | None = None) -> dict[str, BindingPlan]:
    """The plan of every API; `apis` are the models, if they have been read already."""
    apis = _listed(specs, {}) if apis is None else apis
    plans = {name: _plan(name, specs, api) for name, api in apis.items()}
    # Those whose names others serve come first: the host runtime serves the first API's names.
    return dict(sorted(plans.items(), key=lambda one: bool(one[1].manifest.stands_for)))


def _check_namespaces(plans: Mapping[str, BindingPlan]) -> None:
    owners: dict[str, str] = {}
    for name, plan in plans.items():
        if (owner := owners.setdefault(plan.namespace, name)) != name:
            raise GeneratorError(
                f"api_specs/{name}/api.toml: namespace: {owner} has {plan.namespace!r}, too"
            )


def _listed(specs: Path, models: Mapping[str, Api]) -> dict[str, Api]:
    """The APIs to plan. GeneratorError for one without a manifest or a list of releases."""
    known = manifest.names(specs)
    for name in known:
        for file in ("api.toml", "releases.toml"):
            if not os.path.lexists(specs / name / file):  # for anything else, reading tells why
                least = f"; write it first, with {', '.join(manifest.least(name))}"
                raise GeneratorError(
                    f"{specs / name}: {name} has no {file}, so nothing would be generated"
                    f"{least if file == 'api.toml' else ''}"
                )
    return {
        name: models[name] if name in models else store.load(specs / name / "api.json")
        for name in known
    }


def _plan(name: str, specs: Path, api: Api | None = None) -> BindingPlan:
    """The plan of one API. RulesError for a rule that decides nothing."""
    api = api or store.load(specs / name / "api.json")
    known = rules.load(name, specs)
    if unmatched := rules.unmatched(known, api):
        raise rules.RulesError(
            f"api_specs/{name}/rules.toml: matches nothing in any listed release: "
            + ", ".join(unmatched)
        )
    try:
        own_manifest = manifest.load(name, specs)
        depends = {one: manifest.load(one, specs) for one in own_manifest.depends}
        plan = api_plan.plan(api, known, own_manifest, depends, summaries.load(name, specs))
    except GeneratorError as error:
        at = "" if str(error).startswith("api_specs/") else f"api_specs/{name}: "
        raise GeneratorError(f"{at}{error}") from None
    if not plan.groups:
        raise GeneratorError(f"{name}: no function is bound, so nothing would be generated")
    return plan


_OF_COMPILERS = (
    *("version", "supported_architectures", "program_create", "program_destroy", "program_name"),
    *("program_compile", "program_log", "program_lowered_name"),
)


def _entry(
    plan: BindingPlan, specs: Path, plans: Mapping[str, BindingPlan], its: Mapping[str, Roles]
) -> Mapping[str, Any]:
    """What the package knows of an API."""
    packages = find_api(specs, plan.api).packages
    # A package may carry headers without a library: no package has the driver's.
    carriers = plan.manifest.library.packages.values()
    carried = any(package.name in carriers for package in packages.values())
    wheels = {int(start.split(".")[0]): one.name for start, one in packages.items() if carried}
    stands_for = tuple(plans[one].namespace for one in plan.manifest.stands_for)
    formulas = tuple(
        plans[one].namespace
        for one in plan.manifest.stands_for
        if portable.load(specs, plan.api, one).formulas
    )
    entry = {"plan": plan, "wheels": wheels, "stands_for": stands_for, "log": None}
    entry["formulas"] = formulas
    made = plan.manifest
    if made.compiler:
        entry["functions"] = _compiling(made.compiler, its[plan.api])
    if made.driver and made.driver.log_bytes and made.kernels:
        (of_driver,) = (its[one.api] for one in plans.values() if one.namespace == made.kernels.api)
        names = [of_driver[one] for one in ("logs_current", "logs_dump", "exchange_capture_mode")]
        entry["log"] = (*names, of_driver.number("capture_relaxed"), made.driver.log_bytes)
    return entry


def _compiling(compiler: manifest.Compiler, its: Roles) -> Mapping[str, str]:
    """The functions that compile, by their roles."""
    for kind, one in compiler.kinds.items():
        its.function(f"compiler.kinds.{kind}: function", one.function)
    optional = () if compiler.oldest else ("supported_architectures",)
    return {role: its[role] for role in _OF_COMPILERS if role not in optional or its.has(role)}


def _render_module(environment: Environment, entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """An API's Python files, below python/."""
    plan = entry["plan"]
    yield from stubs.render_module(environment, plan).items()
    if not plan.in_core:
        template = "own_package.py" if plan.manifest.own_package else "api.py"
        text = _print(environment, template, plan=plan, api=entry)
        path = f"{plan.folder}/__init__.py"
        stubs.refuse_what_is_no_python(path, text)
        yield path, text


def _render_api(
    environment: Environment, plan: BindingPlan, plans: Mapping[str, BindingPlan], its: Roles
) -> Iterator[tuple[str, str]]:
    """The C++ files of one API."""
    by_name = plan.in_core or plan.has("host") or plan.has("host_library")
    more = ["enumerators.hpp"] if by_name else []
    more += ["own_calls.cpp"] if its.has("get_device") else []
    more += [] if plan.in_core else ["extension.cpp"]
    served = [plans[one].namespace for one in plan.manifest.stands_for]
    for path in (*PER_API, *more):
        yield path, _print(environment, path, plan=plan, served=served, its=its)
    for group, wrappers in plan.groups.items():
        values = {
            "plan": plan,
            "group": group,
            "title": group.replace("_", " "),
            "wrappers": wrappers,
        }
        for suffix in ("hpp", "cpp"):
            yield f"{group}.{suffix}", _print(environment, f"group.{suffix}", **values)


def type_names(plan: BindingPlan) -> Iterator[str]:
    """What C++ calls the types of an API."""
    kinds = (plan.enums, plan.aliases, plan.callbacks, plan.structs)
    yield from (one.name for kind in kinds for one in kind)
    yield from (name for one in plan.handles for name, _ in one.typedefs)
    yield from plan.opaque


def make_environment() -> Environment:
    """The templates, with the filters and functions that they call."""
    environment = Environment(
        loader=FileSystemLoader(ROOT / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters |= {
        **cpp.FILTERS,
        "python": python_literal,
        "fields": fields_of,
        "docstring": docstring,
    }
    environment.globals |= {**cpp.FUNCTIONS, "anonymous": is_anonymous}
    return environment


def _print(environment: Environment, path: str, **values: object) -> str:
    return environment.get_template(f"{path}.j2").render(**values)


def python_literal(value: object) -> str:
    """A value as Python code, with the quotes that a formatter would choose."""
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(python_literal, value))}{',' if len(value) == 1 else ''})"
    if is_dataclass(value):
        given = (f"{key}={python_literal(one)}" for key, one in fields_of(value))
        return f"{type(value).__name__}({', '.join(given)})"
    if isinstance(value, Mapping):
        pairs = (f"{python_literal(key)}: {python_literal(one)}" for key, one in value.items())
        return f"{{{', '.join(pairs)}}}"
    return repr(value)


def fields_of(value: Any) -> Iterator[tuple[str, object]]:
    """The fields of an object of a manifest, with their values."""
    return ((one.name, getattr(value, one.name)) for one in fields(value))


def docstring(text: str) -> str:
    """A text as part of a docstring between three quotes."""
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


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
