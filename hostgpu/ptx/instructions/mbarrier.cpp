// Barriers in shared memory (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier",
// and "cp.async.mbarrier.arrive"). A block's threads run one after another: no step needs to be atomic.
#include "ptx/instructions/mbarrier.hpp"
#include "ptx/instructions/groups.hpp"

#include "ptx/check/handlers.hpp"
#include "ptx/machine/memory_operand.hpp"

#include <cstring>

namespace pygpu::host::ptx {
namespace {

constexpr Type state_type{Type::untyped, 64};
constexpr std::int64_t most = (1 << 20) - 1; // "mbarrier object": of its counts, and of bytes either way

// The opaque object. A state is a copy of the object from before the arrival.
struct Object {
    std::uint64_t pending : 20, expected : 20, phase : 3;
    std::int64_t bytes : 21; // that transactions have still to bring

    // False beyond the range.
    bool expect(std::int64_t more) {
        const std::int64_t sum = bytes + more;
        if (sum < -most || sum > most) return false;
        bytes = sum;
        return true;
    }
    void complete() {
        if (pending || bytes) return;
        pending = expected;
        phase = (phase + 1u) & 7u;
    }
};
static_assert(sizeof(Object) == 8);

enum Action : std::uint32_t { init, invalidate, expect, completed, arrive, test, copied };
constexpr std::uint32_t drops = 8, stays = 16, expects = 32, parity = 64,
                        counted = 128; // in b, with an action

constexpr const char *beyond = "an mbarrier expects at most 1048575 bytes, and as many too early";

bool lies_in_shared(const Block &block, const char *at) {
    return block.cluster.owner(reinterpret_cast<std::uint64_t>(at), sizeof(Object)) != nullptr;
}

// b: the action; c: the operand; d: the state or the predicate.
template <Window In> const Instr *act(const Instr *i, Warp &w) {
    char *at[warp_size];
    if (!resolve<In>(i, w, sizeof(Object), at)) return nullptr;
    const auto action = static_cast<Action>(i->b & 7);
    const auto *const operand = w.reg<std::uint32_t>(i->c);
    std::uint32_t done = 0;
    const auto wrong = [&](const char *what, unsigned lane) {
        return w.fail(Fault::illegal_instruction, i, what, lane);
    };
    if (action == test) w.waits = true;
    for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        Object object;
        if (In == Window::generic && !lies_in_shared(*w.block, at[l]))
            return wrong("an mbarrier lies in shared memory", l);
        std::memcpy(&object, at[l], sizeof object);
        const Object before = object;
        if (action == init) {
            if (!operand[l] || operand[l] > most) return wrong("an mbarrier's count is 1 to 1048575", l);
            object = {operand[l], operand[l], 0, 0};
        } else if (!object.expected && !object.pending && action != test && action != invalidate) {
            return wrong("the mbarrier isn't initialised, or all threads have left it", l);
        }
        switch (action) {
        case invalidate:
            object = {};
            break;
        case expect:
            if (!object.expect(operand[l])) return wrong(beyond, l);
            break;
        case completed:
            if (!object.expect(-std::int64_t{operand[l]})) return wrong(beyond, l);
            object.complete();
            break;
        case copied: // copies are done at once: without .noinc nothing is left to count
            if (!(i->b & counted)) break;
            [[fallthrough]];
        case arrive: {
            if (i->b & expects && !object.expect(operand[l])) return wrong(beyond, l);
            const std::uint32_t count = i->b & expects ? 1 : operand[l];
            if (!count || count > object.pending)
                return wrong("more threads arrive at the mbarrier than it expects", l);
            object.pending = object.pending - count;
            if (i->b & drops) object.expected = object.expected - count;
            if (i->b & stays && !object.pending)
                return wrong("an arrival by noComplete completes a phase", l);
            object.complete();
            break;
        }
        case test: {
            std::uint64_t phase = operand[l] & 1;
            if (!(i->b & parity)) {
                Object state;
                std::memcpy(&state, &w.reg<std::uint64_t>(i->c)[l], sizeof state);
                phase = state.phase;
            }
            const bool over = i->b & parity ? (object.phase & 1) != phase : object.phase != phase;
            done |= (over ? 1u : 0u) << l;
            break;
        }
        default:
            break;
        }
        if (action == test) continue;
        std::memcpy(at[l], &object, sizeof object);
        if (object.phase != before.phase) w.block->cluster.phase_completed();
        if (action == arrive) std::memcpy(&w.reg<std::uint64_t>(i->d)[l], &before, sizeof before);
    }
    if (action == test) {
        set_pred(w, i->d, done);
        w.polls = done != w.exec;
        w.polled_at = w.loops;
    }
    return i + 1;
}

void emit(Decoder &d, const Operand &where, std::uint32_t action, std::uint32_t operand, std::uint32_t to) {
    const Window window = window_of(d);
    if (window == Window::local) d.unknown();
    const Addressed at = address_in(d, where, window);
    // It orders threads as an atomic access does; init finds what nobody has written.
    check::before_access(d, at, sizeof(Object),
                         check::writes | check::atomic | (action == init ? 0 : check::reads));
    Instr &instr = d.emit(window == Window::shared ? act<Window::shared> : act<Window::generic>);
    instr.a = at.base;
    instr.b = action;
    instr.c = operand;
    instr.d = to;
    instr.imm = at.offset;
    instr.hint = new_hint(d, true);
}

const Instr *count_pending(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const auto *const a = w.reg<std::uint64_t>(i->a);
    each(w, [=](unsigned l) { d[l] = static_cast<std::uint32_t>(a[l] & most); });
    return i + 1;
}

void decode_mbarrier(Decoder &d) {
    d.allow({"init", "inval", "expect_tx", "complete_tx", "arrive", "arrive_drop", "noComplete", "test_wait",
             "try_wait", "parity", "pending_count", "shared", "shared::cta", "shared::cluster", "release",
             "acquire", "relaxed", "cta", "cluster"});
    const std::string_view what = d.mods.empty() ? "" : d.mods[0];
    if (what == "pending_count") {
        const std::uint32_t a = d.in(1, state_type), to = d.out(std::size_t{0}, word);
        Instr &instr = d.emit(count_pending);
        instr.a = a;
        instr.d = to;
    } else if (what == "init") {
        emit(d, d.operand(0), init, d.in(1, word), 0);
    } else if (what == "inval") {
        emit(d, d.operand(0), invalidate, 0, 0);
    } else if (what == "expect_tx" || what == "complete_tx") {
        emit(d, d.operand(0), what == "expect_tx" ? expect : completed, d.in(1, word), 0);
    } else if (what == "arrive" || what == "arrive_drop") {
        const bool has_state = d.operand(0).kind != Operand::address;
        const std::size_t at = has_state ? 1 : 0;
        const bool with_bytes = d.has("expect_tx");
        const std::uint32_t to = has_state ? d.out(d.operand(0), state_type) : d.temporary(64);
        const std::uint32_t operand = d.count() > at + 1 ? d.in(at + 1, word)
                                      : with_bytes       ? (d.unknown(), 0)
                                                         : d.constant(1, 32);
        emit(d, d.operand(at),
             arrive | (what == "arrive_drop" ? drops : 0) | (with_bytes ? expects : 0) |
                 (d.has("noComplete") ? stays : 0),
             operand, to);
    } else if (what == "test_wait" || what == "try_wait") { // none blocks: a loop around it lets others run
        const std::uint32_t to = d.pred_out(d.operand(0)),
                            operand = d.has("parity") ? d.in(2, word) : d.in(2, state_type);
        emit(d, d.operand(1), test | (d.has("parity") ? parity : 0), operand, to);
    } else {
        d.unknown();
    }
}

} // namespace

const Instr *complete_bytes(const Instr *i, Warp &w, unsigned lane, std::uint64_t at, std::uint32_t bytes) {
    if (at & (sizeof(Object) - 1)) return bad_access(i, w, at, sizeof(Object), lane, true, Window::generic);
    auto *const to = reinterpret_cast<char *>(at);
    if (!lies_in_shared(*w.block, to))
        return w.fail(Fault::illegal_instruction, i, "an mbarrier lies in shared memory", lane);
    Object object;
    std::memcpy(&object, to, sizeof object);
    const auto before = object.phase;
    if (!object.expected && !object.pending)
        return w.fail(Fault::illegal_instruction, i,
                      "the mbarrier isn't initialised, or all threads have left it", lane);
    if (!object.expect(-std::int64_t{bytes})) return w.fail(Fault::illegal_instruction, i, beyond, lane);
    object.complete();
    std::memcpy(to, &object, sizeof object);
    if (object.phase != before) w.block->cluster.phase_completed();
    return i;
}

// cp.async.mbarrier.arrive: the copies before it are done.
void decode_copies_arrive(Decoder &d) {
    d.allow({"async", "mbarrier", "arrive", "noinc", "shared", "shared::cta", "b64"});
    check::end_group(d);
    check::wait_for_groups(d, 0);
    emit(d, d.operand(0), copied | (d.has("noinc") ? counted : 0), d.constant(1, 32), 0);
}

std::vector<Decoding> mbarrier_group() { return {{"mbarrier", decode_mbarrier}}; }

} // namespace pygpu::host::ptx
