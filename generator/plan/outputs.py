"""Parameters through which C gives something back, by the shape of what it gives."""

from __future__ import annotations

from generator.decide.decision import Decision
from generator.errors import GeneratorError
from generator.model import CType, Parameter
from generator.plan.ctypes import declare, spell
from generator.plan.draft import Context, Draft
from generator.plan.inputs import add_keeper, asking_call, default, is_text
from generator.plan.spelling import cpp_name


def add_out(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """One value that C writes."""
    name = cpp_name(parameter.name)
    target = context.pointee(parameter.type)
    if override := decision.options.get("as"):
        target = CType.parse(str(override))
    if context.is_struct(target):
        type = f"Received<{spell(target)}>"
        draft.before.append(f"{type} {name};")
        draft.arguments[parameter.name] = f"{name}.memory()"
        # A call that asks for a count comes before the locals.
        draft.holes[parameter.name] = f"{type}{{}}.memory()"
    else:
        type = spell(target)
        draft.holes[parameter.name] = f"std::array<{type}, 1>{{}}.data()"
        initial = decision.options.get("initial", "")
        draft.before.append(f"{declare(target, name)}{{{initial}}};")
        draft.arguments[parameter.name] = f"&{name}"
    give(context, draft, parameter, decision, type)


def add_inout(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> bool:
    """What C reads and replaces; the caller's object stays as it is. False for arrays of values."""
    target = context.pointee(parameter.type)
    if count := decision.options.get("count"):
        if not context.is_struct(target):
            return False
        element = spell(target)
        name = draft.take(parameter, f"Changed<{element}>", default(context, parameter))
        draft.lengths[name] = cpp_name(str(count))
        held = f"copied({name}.data, {cpp_name(str(count))})"
        give(context, draft, parameter, decision, f"std::vector<{element}>", held)
        return True
    if context.is_struct(target):
        type = f"Received<{spell(target)}>"
        name = draft.take(parameter, type, default(context, parameter))
        draft.arguments[parameter.name] = f"{name}.memory()"
        add_keeper(context, draft, parameter, decision)
    elif decision.options.get("optional"):
        type = f"std::optional<{spell(target)}>"
        name = draft.take(parameter, type, default(context, parameter))
        draft.arguments[parameter.name] = f"{name} ? &*{name} : nullptr"
    else:
        type = spell(target)
        name = draft.take(parameter, type, default(context, parameter))
        draft.arguments[parameter.name] = f"&{name}"
    give(context, draft, parameter, decision, type)
    return True


def add_out_array(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """An array that C fills: as long as its count says, cut to the count that C wrote."""
    name = cpp_name(parameter.name)
    element = spell(context.pointee(parameter.type))
    length, written = _length(context, draft, decision)
    draft.rooms.append(f"std::vector<{element}> {name} = room<{element}>({length});")
    draft.arguments[parameter.name] = f"{name}.data()"
    draft.holes[parameter.name] = "nullptr"
    if written:
        draft.after.append(f"cut({name}, {written});")
    give(context, draft, parameter, decision, f"std::vector<{element}>", f"std::move({name})")


def add_out_lent(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """An array or a text of the driver's own: copied before anything else can run."""
    name = cpp_name(parameter.name)
    target = context.pointee(parameter.type)
    if "count" not in decision.options:
        if not is_text(context.types.resolve(target)):
            raise GeneratorError(f"{context.told}: {parameter.name} is no text: it needs a count")
        draft.before.append(f"{declare(target, name)}{{}};")
        draft.arguments[parameter.name] = f"&{name}"
        give(context, draft, parameter, decision, "LentText", f"LentText({name})")
        return
    element = spell(CType(target.base, False, target.pointers[:-1]))
    draft.before.append(f"{declare(target, name)}{{}};")
    draft.arguments[parameter.name] = f"&{name}"
    count = cpp_name(str(decision.options["count"]))
    type = f"std::vector<{element}>"
    give(context, draft, parameter, decision, type, f"copied({name}, {count})")


def add_out_chars(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """A char buffer that C fills: with text, or with code."""
    name = cpp_name(parameter.name)
    code = "CodeText" if decision.options.get("ends") else "ByteBuffer"
    type = "TextBuffer" if decision.kind == "out_text" else code
    if asked := decision.options.get("asked_by"):
        capacity = _ask_always(context, draft, str(asked))
    else:
        given = str(decision.options["capacity"])
        pointed = _type_of(context, given).is_pointer
        capacity = f"{cpp_name(given)}{'.value' if pointed else ''}"
    draft.rooms.append(f"{type} {name}({capacity});")
    draft.arguments[parameter.name] = f"{name}.memory()"
    give(context, draft, parameter, decision, type, f"std::move({name})")


def _ask_always(context: Context, draft: Draft, asked: str) -> str:
    """A number that another function is asked for before each call; returns its name in C++."""
    if draft.asks:
        raise GeneratorError(f"{context.told}: it asks for one count already, not {asked} too")
    name = ""

    def place(parameter: Parameter) -> str:
        nonlocal name
        name = cpp_name(parameter.name)
        if parameter.name in context.decisions:
            name += "_asked"
        draft.before.append(f"{spell(context.pointee(parameter.type))} {name}{{}};")
        return f"&{name}"

    draft.asks = asking_call(context, asked, place)
    draft.asks_always = True
    return name


def add_written_count(
    context: Context, draft: Draft, parameter: Parameter, decision: Decision
) -> None:
    """A count behind a pointer: C writes it; unless it only comes out, the caller may give it."""
    name = cpp_name(parameter.name)
    type = spell(context.pointee(parameter.type))
    if decision.options["direction"] == "out":
        draft.before.insert(0, f"{type} {name}{{}};")
        draft.arguments[parameter.name] = f"&{name}"
        return
    if decision.options["unit"] == "bytes":
        of = context.decisions[str(next(iter(_listed(decision.options["of"]))))]
        draft.take_keyword(parameter, f"Count<{type}>", int(str(of.options["default"])))
    else:
        draft.take_keyword(parameter, f"Count<{type}>", -1)
        draft.asks = context.function.name
    draft.arguments[parameter.name] = f"&{name}.value"


def give(
    context: Context,
    draft: Draft,
    parameter: Parameter,
    decision: Decision,
    type: str,
    expression: str | None = None,
) -> None:
    """A result, kept after failures where a rule says that it is valid then."""
    valid_on = decision.options.get("valid_on")
    if decision.options.get("lacking") and context.adapted_before:
        held = expression or cpp_name(parameter.name)
        kept = f"valid_since(api, {context.adapted_before}, status, {held})"
        draft.give(parameter, f"ValidOnError<{type}>", kept)
        return
    if valid_on is None:
        draft.give(parameter, type, expression)
        return
    value = expression or cpp_name(parameter.name)
    if valid_on == "any":
        kept = f"always_valid(api, status, {value})"
    else:
        codes = ", ".join(f"{_code(context, code)} /* {code} */" for code in _listed(valid_on))
        kept = f"valid_on(status, {{{codes}}}, {value})"
    draft.give(parameter, f"ValidOnError<{type}>", kept)


def _code(context: Context, name: str) -> int:
    try:
        return context.value_of(name)
    except GeneratorError as error:
        raise GeneratorError(f"{context.told}: valid_on: {error}") from None


def _length(context: Context, draft: Draft, decision: Decision) -> tuple[str, str | None]:
    """How long an array is made, and where C says how much of it holds."""
    if length := decision.options.get("length"):
        return str(length), None
    if "count" not in decision.options:
        if "asked_by" not in decision.options:
            told = f"{decision.reason}: {context.told}"
            raise GeneratorError(f"{told}: it needs count, length or asked_by")
        return _ask_always(context, draft, str(decision.options["asked_by"])), None
    parameter = str(decision.options["count"])
    name = cpp_name(parameter)
    if _type_of(context, parameter).is_pointer:
        return f"{name}.value", f"{name}.value"
    written = decision.options.get("written")
    asked = "asked_by" in decision.options
    return (f"{name}.value" if asked else name), (cpp_name(str(written)) if written else None)


def _type_of(context: Context, name: str) -> CType:
    return next(one.type for one in context.function.parameters if one.name == name)


def _listed(value: object) -> list[str]:
    if isinstance(value, (list, tuple, frozenset, set)):
        return [str(one) for one in value]
    return [str(value)]
