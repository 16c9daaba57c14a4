"""The reference's pages: every function of each API once, by groups, and every type."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment

from generator.emit import make_environment, make_plans
from generator.plan import portable
from generator.plan.binding import BindingPlan, Wrapper
from generator.plan.docs.lines import lines
from generator.plan.stubs import functions
from generator.plan.stubs.annotations import Annotations
from generator.plan.stubs.names import Names
from generator.reference import examples, manual
from generator.reference.parts import parts
from generator.reference.related import related, stems
from generator.reference.types import Type, Types

Partners = Mapping[tuple[str, str], Sequence[tuple[str, str]]]
Programs = Mapping[str, Sequence[Path]]


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its file, its title, and what it has.

    Of several with a title, `part` is ", 2 of 3" and `span` "first to last". Both are "" of one.
    """

    file: str
    title: str
    part: str
    span: str
    intro: str
    text: str


def pages(root: Path, target: Path) -> dict[str, str]:
    """The text of every page by its path below `target`, with "index.md".

    Reads api_specs/, templates/ and examples/ below `root`.
    """
    specs = root / "api_specs"
    environment = make_environment()
    plans = make_plans(specs)
    partners = _partners(plans, specs)
    programs = examples.users(root / "examples")
    index = environment.get_template("reference/index.md.j2").render(plans=plans.values())
    files = {"index.md": index}
    for plan in plans.values():
        maker = _Maker(environment, plan, partners, programs, target / plan.namespace)
        files |= {f"{plan.namespace}/{file}": text for file, text in maker.files()}
    return files


class _Maker:
    """Makes the pages of one API."""

    def __init__(
        self,
        environment: Environment,
        plan: BindingPlan,
        partners: Partners,
        programs: Programs,
        folder: Path,
    ) -> None:
        self._environment = environment
        self._plan = plan
        self._partners = partners
        self._programs = programs
        self._folder = folder
        self._types = Types(plan)
        self._annotations = Annotations(Names.of(plan))
        self._names = [one.name for group in plan.groups.values() for one in group]
        self._related = related(self._names)

    def files(self) -> Iterator[tuple[str, str]]:
        """Each page with its file's name; an index of the pages and one of the functions first."""
        listed = dict(self._listed())
        yield "index.md", self._render("api", listed=listed, count=len(self._names))
        yield "names.md", self._render("names", rows=_rows(self._names))
        for found in listed.values():
            for at, page in enumerate(found):
                before = found[at - 1] if at else None
                after = found[at + 1] if at + 1 < len(found) else None
                yield page.file, self._render("page", page=page, before=before, after=after)

    def _listed(self) -> Iterator[tuple[str, list[Page]]]:
        """The pages by their titles."""
        groups = self._plan.groups
        for group, wrappers in groups.items():
            title = "Functions" if len(groups) == 1 else heading(group)
            yield title, _pages(group, title, self._functions(wrappers))
        if self._plan.helpers:
            title = "Inline functions that make structs"
            intro = "No library is called: they fill a struct."
            yield title, _pages("inline", title, self._helpers(), intro)
        for title, kind, types, columns in (
            ("Structs", "structs", self._types.structs(), ["field", "in C", "in Python"]),
            ("Enumerations", "enums", self._types.enums(), ["enumerator", "value"]),
        ):
            if types:
                intro = self._render(kind, types=types).strip()
                yield title, _pages(kind, title, self._entries(types, columns), intro)

    def _functions(self, wrappers: Sequence[Wrapper]) -> dict[str, str]:
        """The functions of a group: forms of one for several types stand together."""
        stem = stems(self._names)
        entries = {}
        for one in sorted(wrappers, key=lambda one: (stem[one.name].replace("?", ""), one.name)):
            entries[one.name] = self._render(
                "function",
                one=one,
                signature=functions.plain(self._annotations, one, self._plan.error_class),
                types=self._types.of(one.name),
                partners=self._partners.get((self._plan.namespace, one.name), ()),
                related=self._related[one.name],
                examples=self._programs.get(one.name, ()),
                linked=lambda path: os.path.relpath(path, self._folder),
                manual=manual.place(self._plan.manifest, one.group, one.name),
            )
        return entries

    def _helpers(self) -> dict[str, str]:
        return {
            one.name: self._render(
                "helper", one=one, signature=functions.maker(one, self._plan, self._annotations)
            )
            for one in self._plan.helpers
        }

    def _entries(self, types: Sequence[Type], columns: Sequence[str]) -> dict[str, str]:
        return {one.name: self._render("type", one=one, columns=columns) for one in types}

    def _render(self, template: str, **values: Any) -> str:
        return self._environment.get_template(f"reference/{template}.md.j2").render(
            plan=self._plan, plain=plain, value=value, errors=errors, lines=lines, **values
        )


def _pages(name: str, title: str, entries: Mapping[str, str], intro: str = "") -> list[Page]:
    split = parts(entries)
    if len(split) == 1:
        return [Page(f"{name}.md", title, "", "", intro, "".join(split[0].values()))]
    pages = []
    for at, one in enumerate(split, 1):
        part, span = f", {at} of {len(split)}", _span(list(one))
        pages.append(Page(f"{name}_{at}.md", title, part, span, intro, "".join(one.values())))
    return pages


def _span(names: Sequence[str]) -> str:
    return plain(names[0]) if len(names) == 1 else f"{plain(names[0])} to {plain(names[-1])}"


def _rows(names: Sequence[str]) -> list[list[str]]:
    """Names in the order of the alphabet, by the letter after what all of them begin with."""
    lowered = sorted(one.lower() for one in names)
    first, last = lowered[0], lowered[-1]
    differing = (at for at in range(len(first)) if not last.startswith(first[: at + 1]))
    common = next(differing, len(first))
    rows: dict[str, list[str]] = {}
    for name in sorted(names, key=str.lower):
        rows.setdefault(name[common : common + 1].lower(), []).append(name)
    return list(rows.values())


def heading(group: str) -> str:
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
