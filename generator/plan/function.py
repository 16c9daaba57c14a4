"""From one function and its decisions to the wrapper that is printed for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from generator.decide.decision import Decision
from generator.errors import GeneratorError
from generator.handles import class_of
from generator.model import Function, Parameter
from generator.plan import callbacks, docs, inputs, outputs, typed
from generator.plan.binding import CrossCheck, SizeRequirement, TypedTable, Wrapper
from generator.plan.ctypes import Types
from generator.plan.draft import Context, Draft
from generator.plan.shapes import RETURNED, Ask, Result, ShapeKind, value


@dataclass(frozen=True, slots=True)
class FunctionPlanner:
    """Plans the functions of one API. `value_of` gives the number behind a name or a literal."""

    types: Types
    status: str
    value_of: Callable[[str], int]
    functions: Mapping[str, Function]
    registrations: Mapping[str, str]
    typed: Mapping[str, TypedTable]
    holds_callables: Callable[[str], bool]
    adapted_before: Mapping[str, int]

    def plan(
        self,
        function: Function,
        decisions: Sequence[Decision],
        *,
        gil: str,
        checked: str,
        hot: bool,
        counts: bool,
        substitute: str | None,
        destroys: str | None,
        history: str,
        summary: str | None = None,
    ) -> Wrapper:
        """The wrapper of a function.

        `history` says which releases have it, `summary` what it does; `destroys` is the type of
        the handle that a successful call ends; with `counts` it returns a count, or a status below
        0; `registrations` give the type of the handle for a
        function that ends a callback's registration.
        """
        names = [one.name for one in function.parameters]
        decided = dict(zip(names, decisions, strict=True))
        context = Context(
            self.types,
            self.value_of,
            self.functions,
            function,
            decided,
            self.typed,
            self.holds_callables,
            self.adapted_before.get(function.name),
        )
        draft = Draft()
        for parameter in function.parameters:
            try:
                _add(context, draft, parameter, self._endings(function, parameter, destroys))
            except GeneratorError as error:
                at = "" if function.name in str(error) else f"{context.where}: {parameter.name}: "
                raise GeneratorError(f"{at}{error}") from None
        returns_status = self.types.resolve(function.result).base == self.status
        if draft.status or counts:
            _give_value(context, draft)
            returns_status = True
        if not returns_status:
            _refuse_statuses(context, draft)
        return Wrapper(
            name=function.name,
            group=function.group,
            inputs=draft.every,
            locals=tuple(draft.locals),
            ask=_ask(function, draft),
            arguments=tuple(draft.arguments[name] for name in names),
            cuts=tuple(draft.cuts),
            results=tuple(draft.results),
            result=function.result,
            returns_status=returns_status,
            given_status=draft.status,
            counts=counts,
            substitute=substitute,
            size_requirements=_size_requirements(draft),
            cross_checks=_cross_checks(draft),
            gil=gil,
            checked=checked,
            hot=hot,
            doc=docs.doc(
                context,
                draft,
                prototype(function, self.types),
                returns_status=returns_status,
                substitute=substitute,
                history=history,
                summary=summary,
            ),
            errors=function.errors,
            raw=draft.raw,
        )

    def _endings(
        self, function: Function, parameter: Parameter, destroys: str | None
    ) -> tuple[ShapeKind, ...]:
        """How the call ends a handle; the innermost shape comes first."""
        type = parameter.type
        if self.types.resolve(type).is_pointer and type.is_pointer:
            type = type.pointee
        registration = self.registrations.get(function.name)
        ends: dict[ShapeKind, str | None] = {"destroyed": destroys, "unregistered": registration}
        known = (str(type), class_of(str(type)))
        return tuple(name for name, handle in ends.items() if handle in known)


def _add(
    context: Context, draft: Draft, parameter: Parameter, endings: tuple[ShapeKind, ...]
) -> None:
    """Plan one parameter. If it has no shape, it is bound as an address, and listed as raw."""
    decision = context.decisions[parameter.name]
    done = True
    match decision.kind:
        case "value":
            done = inputs.add_value(context, draft, parameter, decision, endings)
        case "readable" | "image" | "writable" | "address" | "function":
            inputs.add_memory(context, draft, parameter, decision)
        case "text":
            inputs.add_text(context, draft, parameter)
        case "struct":
            inputs.add_struct(context, draft, parameter, decision)
        case "scalar":
            inputs.add_scalar(context, draft, parameter)
        case "status":
            outputs.add_status(context, draft, parameter)
        case "typed_by":
            typed.add_typed(context, draft, parameter, decision)
        case "array" | "count" if value := typed.sized(context, parameter):
            typed.add_size(context, draft, parameter, value)
        case "array":
            done = inputs.add_array(context, draft, parameter, decision)
        case "count" if parameter.type.is_pointer:
            outputs.add_written_count(context, draft, parameter, decision)
        case "count":
            inputs.add_count(context, draft, parameter, decision)
        case "ended":
            inputs.add_ended(context, draft, parameter, endings)
        case "out":
            outputs.add_out(context, draft, parameter, decision)
        case "record":
            outputs.add_record(context, draft, parameter, decision)
        case "inout":
            done = outputs.add_inout(context, draft, parameter, decision)
        case "out_array":
            outputs.add_out_array(context, draft, parameter, decision)
        case "out_lent":
            outputs.add_out_lent(context, draft, parameter, decision)
        case "arguments":
            inputs.add_arguments(context, draft, parameter, decision)
        case "callback":
            done = callbacks.add_callback(context, draft, parameter, decision)
        case "user_data":
            done = callbacks.add_user_data(context, draft, parameter, decision)
        case "out_text" | "out_bytes":
            outputs.add_out_chars(context, draft, parameter, decision)
        case _:
            done = False
    if not done:
        draft.raw[parameter.name] = decision.reason or f"{decision.kind} is bound as an address"
        read = len(parameter.type.pointers) == 1 and parameter.type.points_to_const
        shape = inputs.memory(context, "readable" if read else "address", parameter.type)
        draft.take(parameter, shape, inputs.default(context, parameter))


def _give_value(context: Context, draft: Draft) -> None:
    """What C returns is the first output of a function that writes its status."""
    if not context.function.result.is_void:
        name = RETURNED
        while name in context.decisions:
            name += "_"
        draft.results.insert(0, Result(name, value(context.function.result)))


def _refuse_statuses(context: Context, draft: Draft) -> None:
    """Refuse rules that need a status, in a function that returns none."""
    if draft.ask and not draft.ask.returned:
        raise GeneratorError(f"{context.where}: it gives no status, so no count can be asked for")
    if any(one.valid for one in draft.results):
        raise GeneratorError(f"{context.where}: it gives no status, so valid_on says nothing")


def _ask(function: Function, draft: Draft) -> Ask | None:
    """The call that finds a count. If it is the function itself, holes replace some arguments."""
    if draft.ask is None or draft.ask.arguments or draft.ask.returned:
        return draft.ask
    places = (draft.holes.get(one.name, draft.arguments[one.name]) for one in function.parameters)
    return replace(draft.ask, arguments=tuple(places))


def _size_requirements(draft: Draft) -> tuple[SizeRequirement, ...]:
    places = {one.name: index for index, one in enumerate(draft.every)}
    return tuple(SizeRequirement(places[name], size) for name, size in draft.lengths.items())


def _cross_checks(draft: Draft) -> tuple[CrossCheck, ...]:
    places = {one.name: index for index, one in enumerate(draft.every)}
    return tuple(
        CrossCheck(places[one], how, places[other]) for one, how, other in draft.cross_checks
    )


def prototype(function: Function, types: Types) -> str:
    """The C declaration on one line."""
    parameters = ", ".join(_declared(one, types) for one in function.parameters)
    return f"{function.result.declare(function.name)}({parameters or 'void'})"


def _declared(parameter: Parameter, types: Types) -> str:
    """A parameter as C declares it; a callback's type without a name is spelled in full."""
    callback = types.callbacks.get(parameter.type.base)
    if callback is None or "." not in callback.name:
        return parameter.type.declare(parameter.name)
    taken = ", ".join(str(one.type) for one in callback.parameters)
    return f"{callback.result.declare(f'(*{parameter.name})')}({taken})"
