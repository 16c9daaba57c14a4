"""Values whose C type an enumerator decides: a table for each enum, and parameters that use it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from generator.decide.decision import Decision
from generator.errors import GeneratorError
from generator.model import Api, CType, Field, Function, Parameter
from generator.plan import spans
from generator.plan.binding import TypedCase, TypedTable
from generator.plan.ctypes import Types
from generator.plan.draft import Context, Draft
from generator.plan.inputs import default, take_count
from generator.plan.shapes import Argument, Local, Result, Shape
from generator.plan.span import NEWEST, OLDEST, Span, number
from generator.plan.spelling import member_name
from generator.plan.structs import StructPlanner
from generator.rules import TypedTable as TableRule
from generator.rules import TypedValue


def table_name(types: Types, function: Function, decision: Decision) -> str:
    """The table of a parameter: the one that the rule names, else that of the deciding enum."""
    if table := decision.options.get("table"):
        return str(table)
    by = _parameter(function, str(decision.options["by"]))
    return types.resolve(CType(by.type.base)).base


def tables(
    api: Api,
    types: Types,
    structs: StructPlanner,
    rules: Mapping[str, TableRule],
    functions: Sequence[Function],
    decisions: Mapping[str, Mapping[str, Decision]],
) -> tuple[TypedTable, ...]:
    """The tables that the functions use, sorted by name."""
    unions: dict[str, str | None] = dict.fromkeys(_of_structs(decisions))
    for function in functions:
        for name, decision in decisions[function.name].items():
            if decision.kind == "typed_by":
                table = table_name(types, function, decision)
                type = types.resolve(CType(_parameter(function, name).type.base)).base
                unions[table] = type if type in types.structs else None
                where = f"{decision.reason}: {function.name} ({function.source})"
                if table not in rules:
                    raise GeneratorError(f"{where} needs [typed.{table}]")
                by = types.resolve(
                    CType(_parameter(function, str(decision.options["by"])).type.base)
                )
                if by.base != rules[table].enum:
                    raise GeneratorError(
                        f"{where}: {by.base} decides, but [typed.{table}] is of {rules[table].enum}"
                    )
    enumerators = spans.enumerators(api)
    return tuple(
        TypedTable(
            name=name,
            union=unions[name],
            whole=structs.place(union) if (union := unions[name]) else -1,
            cases=tuple(_cases(api, types, structs, rules[name], unions[name], enumerators)),
        )
        for name in sorted(unions)
    )


def _of_structs(decisions: Mapping[str, Mapping[str, Decision]]) -> Iterator[str]:
    """The tables that say which struct lies somewhere."""
    for of_function in decisions.values():
        for decision in of_function.values():
            if decision.kind in ("record", "callback") and (table := decision.options.get("table")):
                yield str(table)


def structs_of(
    rules: Mapping[str, TableRule], decisions: Mapping[str, Mapping[str, Decision]]
) -> Iterator[str]:
    """The structs of such tables."""
    for table in _of_structs(decisions):
        for value in rules[table].values.values() if table in rules else ():
            if value:
                yield from (*value.older, *([value.type] if value.type else []))


def _cases(
    api: Api,
    types: Types,
    structs: StructPlanner,
    rule: TableRule,
    union: str | None,
    enumerators: Mapping[str, Mapping[str, Sequence[Span]]],
) -> Iterator[TypedCase]:
    if rule.enum not in types.enums:
        raise GeneratorError(f"typed.{rule.name}: there is no enum {rule.enum}")
    numbers = {name: _held(spans) for name, spans in enumerators[rule.enum].items()}
    known = (
        (part, name, value if value is None or text is None else replace(value, type=text))
        for name, value in rule.values.items()
        for span in numbers.get(name, ())
        for part, text in _parts(api, span, value)
    )
    for span, name, value in sorted(known, key=lambda one: (one[0].value, one[0].since)):
        where = f"typed.{rule.name}.value"
        type = _type(types, value, union, f"{where}.{name}") if value else None
        if value and type and (value.size_of is not None) != (str(type) == "char *"):
            raise GeneratorError(f"{where}.{name}: a char * needs size_of, and only that has one")
        if value and value.size_of and value.size_of not in numbers:
            raise GeneratorError(f"{where}.{name}: {rule.enum} has no enumerator {value.size_of}")
        yield TypedCase(
            name=member_name(name),
            enumerator=span.value,
            type=type,
            field=structs.value(where, name, type, _is_boolean(structs, value, union))
            if type
            else None,
            by_value=bool(value and value.by_value),
            array=bool(value and value.array),
            written=bool(value and value.out),
            size_of=_at(numbers[value.size_of], span) if value and value.size_of else 0,
            since=span.since,
            until=span.until,
        )


def _parts(api: Api, span: Span, value: TypedValue | None) -> Iterator[tuple[Span, str | None]]:
    """The releases of a number by the struct that it stands for in them."""
    if value is None or not value.older:
        yield span, None
        return
    known = [*value.older, str(value.type)]
    begins = [_since(api, name) for name in known[1:]]
    ends = [*begins, span.until + 1]
    for name, begin, end in zip(known, [span.since, *begins], ends, strict=True):
        since, until = max(begin, span.since), min(end - 1, span.until)
        if since <= until:
            yield Span(span.value, since, until), name


def _since(api: Api, struct: str) -> int:
    if struct not in api.structs:
        raise GeneratorError(f"api_specs/{api.name}/rules.toml: there is no struct {struct}")
    return number(api.structs[struct][0].since) if api.structs[struct][0].since else OLDEST


def _held(values: Sequence[Span]) -> Sequence[Span]:
    """An enumerator's numbers over the releases; one span for all if it never changed."""
    if len({one.value for one in values}) > 1:
        return values
    return [Span(values[0].value, OLDEST, NEWEST)]


def _at(values: Sequence[Span], span: Span) -> int:
    """The number in the releases of a span."""
    fitting = (one.value for one in values if one.since <= span.since <= one.until)
    return next(fitting, values[-1].value)


def _is_boolean(structs: StructPlanner, value: TypedValue | None, union: str | None) -> bool:
    """Whether a bool is accepted, by this rule or by the rule of the union's member."""
    if value is None:
        return False
    return value.boolean or bool(value.field and structs.is_boolean(str(union), value.field))


def _type(types: Types, value: TypedValue, union: str | None, where: str) -> CType:
    if value.type:
        return CType.parse(value.type)
    if union is None:
        raise GeneratorError(f"{where}: field = {value.field!r}, but C takes no union there")
    members: Mapping[str, Field] = {one.name: one for one in types.structs[union].fields}
    if (member := members.get(str(value.field))) is None:
        raise GeneratorError(f"{where}: {union} has no member {value.field}")
    return member.type


def add_typed(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """A value, or an array of pointers to values, in or out."""
    name, table = parameter.name, table_name(context.types, context.function, decision)
    by = str(decision.options["by"])
    count = decision.options.get("count")
    if decision.options["direction"] == "in":
        shape = Shape("typed ins" if count else "typed in", table=table)
        draft.take(parameter, shape, default(context, parameter))
        draft.cross_checks.append((name, "typed by", by))
        if size := decision.options.get("size"):
            type = _parameter(context.function, str(size)).type
            held = context.pointee(type) if type.is_pointer else type
            bytes_ = Local(str(size), Shape("value", held), initial=f"{name}.bytes")
            draft.declare(bytes_, "address" if type.is_pointer else "value")
        if count:
            draft.lengths[name] = str(count)
        return
    shape = Shape("typed outs" if count else "typed out", table=table)
    depends_on = (by, *(str(one) for one in (count, decision.options.get("size")) if one))
    draft.declare(Local(name, shape, depends_on=depends_on), "pointers" if count else "memory")
    draft.results.append(Result(name, shape))


def sized(context: Context, parameter: Parameter) -> str | None:
    """The typed output whose size in bytes a parameter gives; None for other parameters."""
    for name, decision in context.decisions.items():
        if decision.kind == "typed_by" and decision.options.get("size") == parameter.name:
            return name
    return None


def add_size(context: Context, draft: Draft, parameter: Parameter, typed: str) -> None:
    """The size of typed values. For C to read, it is that of the type. For outputs, it is
    keyword-only, and if left out, the size of the types.
    """
    options = context.decisions[typed].options
    if options["direction"] == "in":
        return  # add_typed() has made it
    if parameter.type.is_pointer and "count" not in options:
        take_count(draft, parameter, context.pointee(parameter.type), -1)
        draft.arguments[parameter.name] = Argument("address of count", parameter.name)
    elif parameter.type.is_pointer:
        shape = Shape("items", of=Shape("value", context.pointee(parameter.type)))
        draft.take_keyword(parameter, shape, 0)
        draft.lengths[parameter.name] = str(context.decisions[typed].options["count"])
        draft.arguments[parameter.name] = Argument("sizes", typed)
    else:
        take_count(draft, parameter, parameter.type, -1)


def _parameter(function: Function, name: str) -> Parameter:
    return next(one for one in function.parameters if one.name == name)
