"""The reference's pages: every function of each API once, by groups, and every type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from jinja2 import Environment

from generator.emit import make_environment, make_plans
from generator.plan import portable
from generator.plan.binding import BindingPlan, Wrapper
from generator.plan.docs.lines import lines
from generator.plan.stubs import functions
from generator.plan.stubs.annotations import Annotations
from generator.plan.stubs.names import Names
from generator.reference.types import Types

Partners = Mapping[tuple[str, str], Sequence[tuple[str, str]]]


def pages(specs: Path) -> dict[str, str]:
    """The text of every page by its path, with "index.md". Reads only api_specs/ and templates/."""
    environment = make_environment()
    plans = make_plans(specs)
    partners = _partners(plans, specs)
    index = environment.get_template("reference/index.md.j2").render(plans=plans.values())
    files = {"index.md": index}
    for plan in plans.values():
        for path, text in _pages(environment, plan, partners):
            files[f"{plan.namespace}/{path}"] = text
    return files


def _pages(
    environment: Environment, plan: BindingPlan, partners: Partners
) -> Iterator[tuple[str, str]]:
    titles = {group: title(group) for group in plan.groups}
    types = Types(plan)
    of_kind = {"structs": types.structs(), "enums": types.enums()}
    listed = {kind: listed_types for kind, listed_types in of_kind.items() if listed_types}
    values = {"plan": plan, "titles": titles, "plain": plain, "types": types, "listed": listed}
    for kind, listed_types in listed.items():
        page = environment.get_template(f"reference/{kind}.md.j2")
        yield f"{kind}.md", page.render(**values, listed_types=listed_types)
    yield "index.md", environment.get_template("reference/api.md.j2").render(**values)
    annotations = Annotations(Names.of(plan))
    if plan.helpers:
        helper_signatures = {
            one.name: functions.maker(one, plan, annotations) for one in plan.helpers
        }
        yield (
            "inline.md",
            environment.get_template("reference/inline.md.j2").render(
                **values, signatures=helper_signatures, lines=lines
            ),
        )
    for group, wrappers in plan.groups.items():
        signatures = {
            one.name: functions.plain(annotations, one, plan.error_class) for one in wrappers
        }
        yield (
            f"{group}.md",
            environment.get_template("reference/group.md.j2").render(
                **values,
                title=titles[group],
                wrappers=wrappers,
                signatures=signatures,
                partners=lambda one: partners.get((plan.namespace, one.name), ()),
                errors=errors,
                value=value,
                lines=lines,
            ),
        )


def title(group: str) -> str:
    """A group of the header's as a heading."""
    words = group.replace("_", " ")
    return words[0].upper() + words[1:]


def plain(text: str) -> str:
    """Text with the characters escaped that mean something in markdown."""
    return re.sub(r"([\\`*_\[\]<>{}|$])", r"\\\1", text)


def value(names: str) -> str:
    """Parameters as code; results, which docstrings mark with an arrow, after "returns"."""
    result = names.startswith("-> ")
    shown = ", ".join(f"`{name}`" for name in names.removeprefix("-> ").split(", "))
    return f"returns {shown}" if result else shown


def errors(wrapper: Wrapper) -> str:
    """The codes that the header's documentation lists, as code."""
    return ", ".join(f"`{one}`" for one in wrapper.errors if not one.lower().endswith("success"))


def _partners(plans: Mapping[str, BindingPlan], specs: Path) -> Partners:
    """For a namespace and a function, the functions of other vendors that stand for it."""
    result: dict[tuple[str, str], list[tuple[str, str]]] = {}
    bound = {
        (plan.namespace, one.name)
        for plan in plans.values()
        for group in plan.groups.values()
        for one in group
    }
    for plan in plans.values():
        for other in plan.manifest.stands_for:
            for one in portable.names(plans[other], plan, portable.load(specs, plan.api, other)):
                mine, theirs = (plans[other].namespace, one.cuda), (plan.namespace, one.hip)
                for at, to in ((mine, theirs), (theirs, mine)):
                    if {at, to} <= bound and to not in result.setdefault(at, []):
                        result[at].append(to)
    return result
