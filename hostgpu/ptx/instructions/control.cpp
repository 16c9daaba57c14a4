// Branches, calls and ends (PTX ISA, "Control Flow Instructions").
#include "ptx/instructions/builtins.hpp"
#include "ptx/instructions/groups.hpp"
#include "ptx/machine/lanes.hpp"
#include "ptx/read/decoder.hpp"

#include <cstring>

namespace pygpu::host::ptx {
namespace {

const Instr *branch(const Instr *i, Warp &w) { return w.jump(i, i->target); }

const Instr *branch_if(const Instr *i, Warp &w) {
    const std::uint32_t taken = (w.pred(i->guard) ^ i->flip) & w.exec;
    if (taken == w.exec) return w.jump(i, i->target);
    if (!taken) return i + 1;
    if (i->target <= i) ++w.loops;
    return w.split(taken, i->target, i + 1);
}

std::uint32_t target_of(const Decoder &d, const Operand &one) {
    if (one.kind != Operand::label) d.unknown("a label is expected");
    return one.index;
}

void decode_branch(Decoder &d) {
    const std::uint32_t to = target_of(d, d.operand(0));
    if (d.statement->guard == no_register) {
        d.emit(branch);
    } else {
        const RegisterSlot guard = d.slot(d.statement->guard);
        if (guard.bits != 1) d.unknown("a predicate is expected behind '@'");
        d.own_guard();
        Instr &instr = d.emit(branch_if);
        instr.guard = guard.at;
        instr.flip = d.statement->negated ? ~0u : 0;
    }
    d.target(d.here() - 1, to);
}

// Each lane goes to the target of its index.
const Instr *branch_indexed(const Instr *i, Warp &w) {
    const auto *const index = w.reg<std::uint32_t>(i->a);
    const auto first = static_cast<unsigned>(std::countr_zero(w.exec));
    const std::uint32_t wanted = index[first];
    if (wanted >= i->extra->targets.size())
        return w.fail(Fault::illegal_instruction, i, "brx.idx goes beyond its list of targets", first);
    std::uint32_t taken = 0;
    each_active(w, [&](unsigned l) { taken |= (index[l] == wanted ? 1u : 0u) << l; });
    const Instr *const to = i->extra->targets[wanted];
    return taken == w.exec ? w.jump(i, to) : w.split(taken, to, i);
}

void decode_indexed(Decoder &d) {
    if (!d.has("idx")) d.unknown();
    d.branch_around();
    if (d.operand(1).kind != Operand::targets) d.unknown("its list of targets isn't there");
    const std::uint32_t index = d.in(0, {Type::natural, 32});
    Extra &more = d.extra();
    for (const Operand &one : d.function.targets[d.operand(1).index])
        more.indices.push_back(target_of(d, one));
    Instr &instr = d.emit(branch_indexed);
    instr.a = index;
    instr.extra = &more;
}

// ---- calls
// slots and results of an extra: for each value its slot, its size, and whether it is a register (bits).
enum { value_slot, value_size, value_register, value_words };

void copy_lanes(const Warp &w, char *to, std::size_t to_step, const char *from, std::size_t from_step,
                std::size_t size) {
    each_active(w, [=](unsigned l) { std::memcpy(to + l * to_step, from + l * from_step, size); });
}

std::size_t step_of(bool in_register, std::uint32_t size) { return in_register ? size / 8 : size; }

// False where a value of the call isn't what the function takes.
bool agrees(const std::vector<std::uint32_t> &arguments, const std::vector<FormalSlot> &taken) {
    if (arguments.size() / value_words != taken.size()) return false;
    for (std::size_t index = 0; index < taken.size(); ++index) {
        const std::uint32_t *const one = &arguments[index * value_words];
        if ((one[value_register] != 0) != taken[index].in_register || one[value_size] != taken[index].size)
            return false;
    }
    return true;
}

const Instr *enter_function(const Instr *i, Warp &w, const Body &body) {
    // A call counts like a backward jump: else a recursion would give no other warp a turn, and no timeout
    // would end it.
    if (++w.loops >= w.most_loops()) return w.leave(Warp::Event::sliced, i);
    const Extra &call = *i->extra;
    if (!agrees(call.slots, body.parameters) || !agrees(call.results, body.results))
        return w.fail(Fault::illegal_instruction, i,
                      "the call's parameters aren't those of " + std::string(body.function->name));
    Frame *const frame = w.block->make_frame(body, w.frame, i, w.exec);
    if (!frame)
        return w.fail(Fault::illegal_address, i, no_stack, static_cast<unsigned>(std::countr_zero(w.exec)));
    for (std::size_t index = 0; index < body.parameters.size(); ++index) {
        const FormalSlot &to = body.parameters[index];
        char *const at = frame->registers() + to.at;
        const char *const from = w.registers + call.slots[index * value_words];
        const std::size_t step = step_of(to.in_register, to.size);
        copy_lanes(w, at, step, from, step, step);
    }
    w.groups[w.group].frame = frame;
    w.enter(frame);
    w.stop_at = nullptr;
    return body.code.data();
}

const Body &body_of(const Extra &extra, const Function &function, Warp &w) {
    const Body *body = extra.body.load(std::memory_order_acquire);
    if (!body || body->function != &function) {
        body = &w.block->launch.loaded->body(function);
        extra.body.store(body, std::memory_order_release);
    }
    return *body;
}

const Instr *call(const Instr *i, Warp &w) {
    return enter_function(i, w, body_of(*i->extra, *i->extra->callee, w));
}

// By a function's address. Lanes with another one are a group of their own, which calls when its turn comes.
const Instr *call_indirect(const Instr *i, Warp &w) {
    const auto *const address = w.reg<std::uint64_t>(i->a);
    const auto first = static_cast<unsigned>(std::countr_zero(w.exec));
    std::uint32_t same = 0;
    each_active(w, [&](unsigned l) { same |= (address[l] == address[first] ? 1u : 0u) << l; });
    const Function *const function = w.block->launch.loaded->function_at(address[first]);
    if (!function || !function->defined || function->entry)
        return w.fail(Fault::illegal_instruction, i, "the called address is not a function's", first);
    if (same != w.exec) {
        Group others = w.groups[w.group];
        others.mask &= ~same;
        others.at = i;
        w.groups[w.group].mask = same;
        w.groups.push_back(others);
        w.exec = same;
        w.whole = false;
    }
    return enter_function(i, w, body_of(*i->extra, *function, w));
}

const Instr *leave_function(const Instr *i, Warp &w) {
    Frame *const frame = w.frame, *const parent = frame->parent;
    if (!parent) {
        w.exit_lanes();
        return w.leave(Warp::Event::gone, i);
    }
    const Extra &call = *frame->call->extra;
    const Body &body = *frame->body;
    for (std::size_t index = 0; index < body.results.size(); ++index) {
        const FormalSlot &from = body.results[index];
        char *const to = parent->registers() + call.results[index * value_words];
        const std::size_t step = step_of(from.in_register, from.size);
        copy_lanes(w, to, step, w.registers + from.at, step, step);
    }
    const Instr *const back = frame->call + 1;
    frame->live &= ~w.exec;
    if (!frame->live) w.block->free_frame(frame);
    w.groups[w.group].frame = parent;
    w.enter(parent);
    return w.alone() ? back : w.leave(Warp::Event::again, back);
}

const Instr *exit(const Instr *i, Warp &w) {
    w.exit_lanes();
    return w.leave(Warp::Event::gone, i);
}

const Instr *trap(const Instr *i, Warp &w) {
    return w.fail(Fault::launch_failure, i, "trap", static_cast<unsigned>(std::countr_zero(w.exec)));
}

// "The suspension duration is in [0, 2*t]", and t at most one millisecond. All lanes sleep for the shortest
// t.
const Instr *sleep(const Instr *i, Warp &w) {
    std::uint32_t time = 1000000;
    const auto *const arguments = w.reg<std::uint32_t>(i->a);
    each_active(w, [&](unsigned l) { time = std::min(time, arguments[l]); });
    w.waits = true;
    if (!time) return ++w.loops > 32 ? w.leave(Warp::Event::sliced, i + 1) : i + 1;
    return w.sleep(std::chrono::nanoseconds(time), i + 1);
}

void decode_ret(Decoder &d) {
    d.branch_around();
    d.emit(leave_function);
}
void decode_exit(Decoder &d) {
    d.branch_around();
    d.emit(exit);
}
void decode_trap(Decoder &d) {
    d.branch_around();
    d.emit(trap);
}
void decode_nothing(Decoder &d) { d.emit(nothing); }
// Launches of a stream run one after another: what came before is done.
void decode_dependency(Decoder &d) {
    d.allow({"launch_dependents", "wait"});
    d.emit(nothing);
}
void decode_sleep(Decoder &d) {
    d.branch_around();
    const std::uint32_t time = d.in(0, {Type::natural, 32});
    d.emit(sleep).a = time;
}

void list_values(Decoder &d, const Operand *list, bool results, std::vector<std::uint32_t> &to) {
    if (!list) return;
    for (const Operand &one : list->parts) {
        if (one.kind == Operand::variable) {
            std::uint32_t size = 0;
            const std::uint32_t place = d.param_place(one, size);
            to.insert(to.end(), {place, size, 0});
        } else if (one.kind == Operand::reg) {
            const RegisterSlot place = d.slot(one.index);
            if (place.bits == 1) d.unknown("a predicate can't be a parameter");
            to.insert(to.end(), {place.at, place.bits, 1});
        } else if (one.kind == Operand::number && !results) {
            to.insert(to.end(), {d.constant(one.bits, 32), 32, 1});
        } else {
            d.unknown(results ? "a result of a call isn't a place" : "a parameter of a call isn't one");
        }
    }
}

void decode_call(Decoder &d) {
    d.branch_around();
    std::size_t at = 0;
    const Operand *results = d.operand(0).kind == Operand::list ? &d.operand(at++) : nullptr;
    const Operand &callee = d.operand(at++);
    const Operand *parameters =
        at < d.count() && d.operand(at).kind == Operand::list ? &d.operand(at) : nullptr;
    Extra &more = d.extra();
    list_values(d, results, true, more.results);
    list_values(d, parameters, false, more.slots);
    if (callee.kind == Operand::reg) {
        const std::uint32_t address = d.in(callee, {Type::natural, 64});
        Instr &instr = d.emit(call_indirect);
        instr.a = address;
        instr.extra = &more;
        return;
    }
    if (callee.kind != Operand::symbol) d.unknown();
    const auto entry = d.loaded.program->by_name.find(callee.name);
    if (entry == d.loaded.program->by_name.end()) d.unknown(std::string(callee.name) + " isn't known");
    if (!entry->second->defined) {
        const Builtin *const builtin = builtin_named(callee.name);
        if (!builtin) d.unknown(std::string(callee.name) + " is declared, but isn't in the module");
        std::size_t arguments = more.slots.size() / value_words,
                    result_count = more.results.size() / value_words;
        if (arguments != builtin->parameters || result_count > builtin->results) d.unknown();
        d.emit(handler_of(*builtin)).extra = &more;
        return;
    }
    if (entry->second->entry) d.unknown("a kernel can't be called");
    more.callee = entry->second;
    d.emit(call).extra = &more;
}

} // namespace

std::vector<Decoding> control_group() {
    return {{"bra", decode_branch},
            {"brx", decode_indexed},
            {"call", decode_call},
            {"ret", decode_ret},
            {"exit", decode_exit},
            {"trap", decode_trap},
            {"brkpt", decode_nothing},
            {"pmevent", decode_nothing},
            {"nanosleep", decode_sleep},
            {"setmaxnreg", decode_nothing},
            {"griddepcontrol", decode_dependency}};
}

} // namespace pygpu::host::ptx
