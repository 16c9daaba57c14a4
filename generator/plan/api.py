"""From an API and its rules to the plan of its bindings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from generator.decide import decide
from generator.decide.decision import Decision
from generator.decide.fits import refuse
from generator.errors import GeneratorError
from generator.handles import as_handles, class_of
from generator.manifest import LARGEST_OWN_CODE, OWN_CODES, Handles, Manifest
from generator.model import Api, CType, Enum, Function, Handle
from generator.plan import (
    adaptors,
    callbacks,
    docs,
    foreign,
    helpers,
    names,
    ownership,
    reachable,
    releases,
    spans,
    statuses,
    typed,
)
from generator.plan.binding import BindingPlan, Detail, HandleType, Wrapper
from generator.plan.ctypes import Types
from generator.plan.function import FunctionPlanner
from generator.plan.renamed import follow_renames
from generator.plan.span import number
from generator.plan.spelling import beside, changeable, member_name
from generator.plan.structs import StructPlanner
from generator.review import is_reviewed, one_kind, pinned, settled
from generator.rules import Rules
from generator.summaries import NONE, Summaries

NO_DEPENDS: Mapping[str, Manifest] = MappingProxyType({})


def plan(
    api: Api,
    rules: Rules,
    manifest: Manifest,
    depends: Mapping[str, Manifest] = NO_DEPENDS,
    summaries: Summaries = NONE,
) -> BindingPlan:
    """The plan for the settled form of every function that no rule excludes (see review.py).

    `depends` are the manifests of the APIs whose types this one uses.
    """
    with beside(changeable(api)):
        return _plan(api, rules, manifest, depends, summaries)


def _plan(
    api: Api,
    rules: Rules,
    manifest: Manifest,
    depends: Mapping[str, Manifest],
    summaries: Summaries,
) -> BindingPlan:
    changed = changeable(api)
    second = statuses.second_code(api, manifest.status)
    api, status = statuses.as_enum(as_handles(api), rules, manifest.status)
    refuse(api, rules)
    decisions = {
        name: every
        for (name, index), every in decide(api, rules).items()
        if index == settled(api.functions[name], rules.reviewed)
    }
    api = one_kind(follow_renames(api, rules.reviewed), rules.reviewed)
    known = pinned(api, rules.reviewed)
    homes = foreign.homes(api, status, rules, depends, manifest.own_types)
    types = Types.of(known, foreign.handles(manifest, depends)).sized(api, rules.reviewed)
    errors = error_names(types.enums[status], api.enums[status][-1].node)
    codes = _codes(api, manifest, errors)
    successes = tuple(
        _number(api, manifest, errors, "success", one) for one in manifest.status.success
    )
    functions = [variants[-1].node for variants in known.functions.values()]
    bound = [one for one in functions if rules.exclude(one.name) is None]
    decided = {
        one.name: dict(
            zip((parameter.name for parameter in one.parameters), decisions[one.name], strict=True)
        )
        for one in bound
    }
    entries = releases.entries(api, types, rules, decided)
    needed = reachable.reachable(
        types,
        [*bound, *(one for one in entries if not one.function)],
        typed.structs_of(rules.typed, decided),
    )
    handles = _handles(types, homes, needed)
    named = (one for one in types.enums.values() if not reachable.is_anonymous(one.name))
    enums = tuple(sorted(named, key=lambda one: one.name))
    struct_planner = StructPlanner(
        releases.with_older_structs(api, types, rules, decided),
        types,
        {one.name: index for index, one in enumerate(enums)},
        handles,
        rules,
        homes,
        names.values(api),
    )
    structs = struct_planner.plan(needed)
    by_name = {one.name: one for one in functions}
    registrations = callbacks.registrations(types, by_name, decisions)
    tables = typed.tables(api, types, struct_planner, rules.typed, bound, decided)
    value_of = _Values(api, known)
    planner = FunctionPlanner(
        types,
        status,
        value_of,
        by_name,
        registrations,
        {one.name: one for one in tables},
        struct_planner.holds_callables,
        releases.adapted_before(entries),
    )
    histories = docs.history(api, manifest.label, entries)
    wrappers = [
        _wrapper(
            planner,
            rules,
            one,
            decisions[one.name],
            histories[one.name],
            summaries.of(one.name),
            reviewed=any(is_reviewed(form, rules.reviewed) for form in api.functions[one.name]),
        )
        for one in bound
    ]
    handles = ownership.owned(handles, rules.handles, {one.name: one for one in wrappers})
    return BindingPlan(
        api=api.name,
        manifest=manifest,
        status=status,
        codes=codes,
        successes=successes,
        detail=_detail(api, manifest, depends, errors, second),
        handles=handles,
        opaque=reachable.opaque(types, needed),
        enums=enums,
        enumerators={
            name: tuple((member_name(one), span) for one, held in values.items() for span in held)
            for name, values in spans.enumerators(api).items()
        },
        aliases=tuple(types.aliases[one] for one in needed if one in types.aliases),
        callbacks=tuple(types.callbacks[one] for one in needed if one in types.callbacks),
        structs=tuple(types.structs[one] for one in needed if one in types.structs),
        struct_types=structs,
        typed=tables,
        helpers=tuple(helpers.helpers(rules.helpers, structs, value_of)),
        anonymous={
            name: one
            for name, one in types.structs.items()
            if reachable.is_anonymous(name) and name.partition(".")[0] in needed
        },
        releases=tuple(number(one) for one in api.releases),
        entries=entries,
        adaptors=tuple(adaptors.adaptors(api, types, rules, decided, entries)),
        groups=_by_group(wrappers),
        errors=_with_own(errors, codes),
        error_aliases=_aliases_of(types, status, manifest.status.class_),
        names=names.public_names(api, types, enums, handles, structs, status, homes),
        first=releases.first(api),
        homes=homes,
        changeable=changed,
    )


class _Values:
    """Turns a default's text into its number."""

    def __init__(self, api: Api, known: Api) -> None:
        self._known = {**names.values(api), **names.values(known)}

    def __call__(self, text: str) -> int:
        if text in self._known:
            return self._known[text]
        try:
            return int(text.rstrip("uUlL"), 0)
        except ValueError:
            raise GeneratorError(f"{text!r} is neither a number nor an enumerator") from None


def _wrapper(
    planner: FunctionPlanner,
    rules: Rules,
    function: Function,
    decisions: Sequence[Decision],
    history: str,
    summary: str | None,
    *,
    reviewed: bool,
) -> Wrapper:
    return planner.plan(
        function,
        decisions,
        gil=rules.gil(function.name, reviewed=reviewed),
        checked=rules.checked(function.name),
        hot=rules.hot(function.name),
        counts=rules.counts(function.name),
        substitute=rules.absent(function.name),
        destroys=rules.destroyed(function.name),
        history=history,
        summary=summary,
    )


def _handles(
    types: Types, homes: Mapping[str, str], needed: Sequence[str]
) -> tuple[HandleType, ...]:
    by_struct: dict[str, list[Handle]] = {}
    for name, handle in types.handles.items():
        if name in needed:
            by_struct.setdefault(handle.struct, []).append(handle)
    return tuple(
        _handle(struct, by_struct[struct], types.known, homes) for struct in sorted(by_struct)
    )


def _handle(
    struct: str, handles: Sequence[Handle], known: Handles, homes: Mapping[str, str]
) -> HandleType:
    """A handle; a typedef of the pointer is its name, else one of the struct, else the tag."""
    ordered = sorted(handles, key=lambda one: (one.name.endswith("*"), one.const, one.name))
    types = tuple(one.name for one in ordered)
    typedefs = tuple((one.name, one.const) for one in ordered if not one.name.endswith("*"))
    name = class_of(types[0])
    also = known.take.get(name, ())
    role, home = known.role(name), homes.get(types[0])
    return HandleType(struct, name, types, typedefs, role, home=home, also=also)


def _codes(api: Api, manifest: Manifest, errors: Sequence[tuple[int, str]]) -> Mapping[str, int]:
    """The numbers of the codes that the manifest names."""
    codes = {
        meaning: _number(api, manifest, errors, "codes", one)
        for meaning, one in manifest.status.codes.items()
    }
    for meaning in OWN_CODES:
        if not 0 < codes[meaning] <= LARGEST_OWN_CODE:
            raise GeneratorError(
                f"api_specs/{api.name}/api.toml: status.codes: {meaning} is {codes[meaning]},"
                f" not a number from 1 to {LARGEST_OWN_CODE}"
            )
    # Codes for calls that can't be made: the library lacks the form, or the process is ending.
    codes.setdefault("not_supported", codes["no_symbol"])
    codes.setdefault("not_permitted", codes["no_library"])
    return codes


def _number(
    api: Api, manifest: Manifest, errors: Sequence[tuple[int, str]], key: str, value: str | int
) -> int:
    """The number of a code that a key of the manifest's [status] names, or gives as a number."""
    if isinstance(value, int):
        return value
    for code, name in errors:
        if name == value:
            return code
    raise GeneratorError(
        f"api_specs/{api.name}/api.toml: status.{key}: {manifest.status.type} has no {value}"
    )


def _detail(
    api: Api,
    manifest: Manifest,
    depends: Mapping[str, Manifest],
    errors: Sequence[tuple[int, str]],
    second: tuple[str, str] | None,
) -> Detail | None:
    """The second code of statuses that are structs; its class is that of another API's statuses."""
    if second is None or manifest.status.detailed is None:
        return None
    struct, enum = second
    code = _number(api, manifest, errors, "detailed", manifest.status.detailed)
    types = Types.of(api)
    for one in depends.values():
        if one.status.type and types.resolve(CType(one.status.type)).base == enum:
            return Detail(struct, code, one.imported_as, one.status.class_)
    raise GeneratorError(
        f"api_specs/{api.name}/api.toml: status.detailed: {enum} is no status of an API that it"
        " depends on"
    )


def _with_own(
    errors: tuple[tuple[int, str], ...], codes: Mapping[str, int]
) -> tuple[tuple[int, str], ...]:
    """The codes, with those that only PyGPU gives, sorted."""
    known = {code for code, _ in errors}
    own = [(codes[meaning], name) for meaning, name in OWN_CODES.items()]
    return tuple(sorted([*errors, *(one for one in own if one[0] not in known)]))


def _aliases_of(types: Types, status: str, error_class: str) -> tuple[str, ...]:
    names = {one.name for one in types.aliases.values() if one.type.base == status} | {status}
    return tuple(sorted(names - {error_class}))


def _by_group(wrappers: Sequence[Wrapper]) -> Mapping[str, tuple[Wrapper, ...]]:
    groups: dict[str, list[Wrapper]] = {}
    for wrapper in wrappers:
        groups.setdefault(wrapper.group, []).append(wrapper)
    return {name: tuple(sorted(groups[name], key=lambda one: one.name)) for name in sorted(groups)}


def error_names(*enums: Enum) -> tuple[tuple[int, str], ...]:
    """Codes with their names, sorted. If several names share a code, the first one is used."""
    named: dict[int, str] = {}
    for one in (one for enum in enums for one in enum.enumerators):
        named.setdefault(one.value, one.name)
    return tuple(sorted(named.items()))
