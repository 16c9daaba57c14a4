"""A decision for every parameter: rules first, then what the type alone says, then evidence.

While no release is reviewed, as in a new project of `pygpu bind`, the header's own words decide
outputs (annotated.py), and the votes (votes.py) only propose.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from generator import formula
from generator.decide.annotated import by_annotation
from generator.decide.decision import Decision
from generator.decide.fits import misfit
from generator.decide.relations import (
    begun,
    counted,
    counters,
    fillable,
    free_sizes,
    size_behind,
)
from generator.decide.shape import Shape, is_integer, resolve, shape
from generator.decide.votes import counts, size_function_of, weigh
from generator.model import Api, Function, Parameter, Variant
from generator.review import is_reviewed
from generator.rules import COUNTING, Rule, Rules, RulesError, stripped


def decide(api: Api, rules: Rules) -> Mapping[tuple[str, int], tuple[Decision, ...]]:
    """The decisions for each form of each function, in the order of its parameters.

    The key is the function's name and the form's place in `api.functions[name]`. Excluded functions
    are decided, too. Raises RulesError for a rule that can't apply where it is found.
    """
    decisions = {}
    nothing = Rules(api.name)
    for name, variants in api.functions.items():
        read = [is_reviewed(variant, rules.reviewed) for variant in variants]
        for index, variant in enumerate(variants):
            others = _others(api, rules, name, variant, reviewed=read[index])
            # If some forms of a function are reviewed, its rules are not for the other ones.
            known = rules if read[index] or not any(read) else nothing
            decided = _function(api, known, variant.node, others, reviewed=read[index])
            decisions[name, index] = decided
    return decisions


def _others(
    api: Api, rules: Rules, name: str, variant: Variant[Function], *, reviewed: bool
) -> Sequence[Function]:
    """The other forms of a function, and the forms of its name without the suffix.

    An unreviewed release has no influence on reviewed ones.
    """
    return [
        other.node
        for known in stripped(name)
        for other in api.functions.get(known, ())
        if other is not variant and (not reviewed or is_reviewed(other, rules.reviewed))
    ]


def _function(
    api: Api, rules: Rules, function: Function, others: Sequence[Function], *, reviewed: bool
) -> tuple[Decision, ...]:
    decisions: dict[str, Decision] = {}
    ruled = set()
    for parameter in function.parameters:
        name = parameter.name
        same = [one for other in others for one in other.parameters if one.name == name]
        rule = rules.parameter(function, parameter, reviewed=reviewed)
        decision = _by_rule(function, rule) if rule else None
        if rule and decision and misfit(api, function, parameter, rule) is None:
            decisions[name] = decision
            ruled.add(name)
        elif reviewed:
            by_shape = _by_shape(api, function, parameter, same)
            said = by_annotation(api, function, parameter, same) if by_shape.by == "raw" else None
            decisions[name] = said or by_shape
        else:
            wider = rules.parameter(function, parameter)
            fits = wider and wider.fits(function, parameter)
            if wider and fits and misfit(api, function, parameter, wider) is None:
                decisions[name] = _proposed(_by_rule(function, wider))
            else:
                said = None if rules.reviewed else by_annotation(api, function, parameter, same)
                evident = said or _by_names(api, function, parameter)
                decisions[name] = evident or _proposed(_by_shape(api, function, parameter, same))
    decisions.update(_belonging(api, ruled, function, decisions))
    _refuse_lengths(function, decisions)
    return tuple(decisions[parameter.name] for parameter in function.parameters)


def _proposed(decision: Decision) -> Decision:
    """A decision for an unreviewed function, whose outputs may be arrays.

    Only C's types are reliable there, and evidence for an array that C only reads. Any other
    decision becomes a proposal.
    """
    if decision.by in ("type", "raw") or (decision.by == "evidence" and not decision.is_output):
        return decision
    reason = f"nobody has read this release; likely {decision.kind} ({decision.reason})"
    return Decision("raw", "unreviewed", reason, proposal=decision)


def _by_rule(function: Function, rule: Rule) -> Decision:
    known = {parameter.name for parameter in function.parameters}
    if missing := sorted(rule.references - known):
        raise RulesError(
            f"{rule.where}: {function.name} ({function.source}) has no parameter"
            f" {', '.join(missing)}"
        )
    by = "raw" if rule.kind == "raw" else "rule"
    return Decision(rule.kind, by, rule.reason or rule.where, dict(rule.options))


def _refuse_lengths(function: Function, decisions: Mapping[str, Decision]) -> None:
    """Refuse lengths of numbers behind pointers that C only writes: no call knows them before."""
    types = {one.name: one.type for one in function.parameters}
    for decision in decisions.values():
        length = decision.options.get("length")
        if decision.by != "rule" or not isinstance(length, str):
            continue
        for name in formula.fields(length):
            said = decisions.get(name)
            if said is None or not types[name].is_pointer:
                continue
            if said.kind != "inout" or said.options.get("optional"):
                where = f"{function.name} ({function.source}): length: {types[name]} {name}"
                raise RulesError(
                    f"{where} has no value before the call: its kind is {said.kind};"
                    ' kind = "inout" gives it one'
                )


def _by_names(api: Api, function: Function, parameter: Parameter) -> Decision | None:
    """What names alone decide of an input that nobody has reviewed; None for all else.

    A count that has the array's name sizes it. Any other count leaves open what it counts.
    """
    if decision := _sized(api, function, parameter):
        return decision
    match shape(api, parameter.type):
        case Shape.VALUES if size_parameters := counts(function, besides=parameter.name):
            listed = ", ".join(one.name for one in size_parameters)
            return Decision("raw", "raw", f"one value, or an array that {listed} counts?")
        case Shape.TEXT if size := size_behind(api, function, parameter):
            decision = Decision("readable", "evidence", "", {"length": size.name})
            reason = f"a text up to its NUL, or {size.name} bytes?"
            return Decision("readable", "unreviewed", reason, proposal=decision)
        case Shape.STRUCT if not parameter.placed and all(
            counted(api, function, one) for one in counts(function, besides=parameter.name)
        ):
            return Decision("struct", "type")
    return None


def _sized(api: Api, function: Function, parameter: Parameter) -> Decision | None:
    """The decision for an input with a count that has its name."""
    if (count := _named(api, function, parameter)) is None:
        return None
    reason = f"const, and {count.name} counts it by its name"
    bytes_ = resolve(api, parameter.type).base in ("unsigned char", "uint8_t")
    kind = shape(api, parameter.type)
    if (kind is Shape.VALUES and bytes_) or (
        kind is Shape.MEMORY and parameter.type.points_to_const
    ):
        return Decision("readable", "evidence", reason, {"length": count.name})
    if kind is Shape.VALUES or (kind is Shape.STRUCT and not parameter.placed):
        return Decision("array", "evidence", reason, {"count": count.name})
    return None


def _named(api: Api, function: Function, parameter: Parameter) -> Parameter | None:
    """The one number that counts a parameter's elements by its name."""
    named = [one for one in counters(api, function, parameter) if not one.type.is_pointer]
    return named[0] if len(named) == 1 else None


def _by_shape(
    api: Api, function: Function, parameter: Parameter, same: Iterable[Parameter]
) -> Decision:
    """The decision by type and evidence; for a raw one, the reason says why they don't suffice."""
    if decision := _sized(api, function, parameter):
        return decision
    counted = counts(function, besides=parameter.name)
    match shape(api, parameter.type):
        case Shape.VALUE:
            return Decision("value", "type")
        case Shape.OPAQUE:
            return Decision("address", "type")
        case Shape.TEXT if free := free_sizes(api, function, parameter):
            reason = f"a text up to its NUL, or {' or '.join(one.name for one in free)} bytes?"
        case Shape.TEXT:
            return Decision("text", "type")
        case Shape.STRUCT if parameter.placed:
            reason = "the struct may lie on the device"
        case Shape.STRUCT if not counted:
            return Decision("struct", "type")
        case Shape.STRUCT:
            reason = f"one struct, or {counted[0].name} of them?"
        case Shape.VALUES if counted:
            listed = ", ".join(one.name for one in counted)
            reason = f"one value, or an array that {listed} counts?"
        case Shape.VALUES:
            reason = "an array; no parameter is clearly its count"
        case Shape.SLOT | Shape.ROOM if sized := fillable(api, function, parameter):
            listed = ", ".join(one.name for one in sized)
            reason = f"it may be the size of {listed}, and so go in and out"
        case Shape.SLOT | Shape.ROOM if begun(api, parameter.type):
            reason = "its struct begins with what the caller writes"
        case Shape.SLOT | Shape.ROOM:
            verdict = weigh(api, function, parameter, same)
            if verdict.out:
                return Decision("out", "evidence", verdict.text)
            reason = verdict.text
        case Shape.CALLBACK:
            reason = "a callback: which parameter is its user data, and how long may C call it?"
        case Shape.CHARS:
            reason = "a char buffer; no parameter is clearly its capacity"
            if size_function := size_function_of(api, function):
                reason = f"a char buffer, of which {size_function} may tell the size"
        case Shape.MEMORY if resolve(api, parameter.type).base != "void":
            reason = "its struct ends in an array of any length"
        case Shape.MEMORY:
            reason = "a void *; neither its type nor its documentation says what it points to"
            size_function = (
                None if parameter.type.points_to_const else size_function_of(api, function)
            )
            if size_function:
                reason = f"a void *, of which {size_function} may tell the size"
    return Decision("raw", "raw", reason)


def _belonging(
    api: Api, ruled: Collection[str], function: Function, decisions: Mapping[str, Decision]
) -> dict[str, Decision]:
    """Decisions that follow from others': counts of arrays, user data of callbacks."""
    types = {parameter.name: parameter.type for parameter in function.parameters}
    following: dict[str, Decision] = {}
    for name, decision in decisions.items():
        if decision.kind == "callback" and "user_data" in decision.options:
            data = str(decision.options["user_data"])
            following[data] = Decision("user_data", decision.by, f"of {name}", {"callback": name})
        for key, unit in COUNTING.items():
            count = decision.options.get(key)
            if not isinstance(count, str):
                continue
            if not is_integer(api, types[count].base):
                raise RulesError(
                    f"{decision.reason}: {function.name} ({function.source}): {types[count]}"
                    f" {count} is no count: it is no integer"
                )
            if count in ruled:
                continue
            former = following.get(count)
            of = (*(former.options["of"] if former else ()), name)  # type: ignore[misc]
            direction = "in"
            if types[count].is_pointer:
                written = key == "written" or all(decisions[one].kind == "out_lent" for one in of)
                direction = "out" if written else "inout"
            options = {"of": of, "unit": unit, "direction": direction}
            following[count] = Decision("count", decision.by, f"of {', '.join(of)}", options)
    return following
