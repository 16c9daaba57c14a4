// cp.async and waiting for it (PTX ISA, "Data Movement and Conversion Instructions: Non-bulk copy").
#include "ptx/check/handlers.hpp"
#include "ptx/instructions/bulk.hpp"
#include "ptx/instructions/groups.hpp"
#include "ptx/instructions/mbarrier.hpp"
#include "ptx/machine/memory_operand.hpp"

#include <cstring>

namespace pygpu::host::ptx {
namespace {

// cp.async copies at once, so that waiting for it does nothing; the checker knows who has waited. a: from,
// imm: an offset to that, d: to, b: bytes; c: how many of them are read, the rest become zeros.
const Instr *copy_async(const Instr *i, Warp &w) {
    char *to[warp_size], *from[warp_size];
    const std::size_t size = i->b;
    Instr at = *i;
    at.a = i->d;
    at.imm =
        static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(i->extra->slots[0] << 1)} >> 1);
    const auto *const count = w.reg<std::uint32_t>(i->c);
    if (!resolve<Window::shared>(&at, w, size, to)) return w.leave(Warp::Event::failed, i);
    const std::uint32_t all = w.exec;
    std::uint32_t reading = 0;
    each_active(w, [&](unsigned l) { reading |= (count[l] ? 1u : 0u) << l; });
    w.exec &= reading;
    const bool may = resolve<Window::generic>(i, w, size, from);
    w.exec = all;
    if (!may) return nullptr;
    each_active(w, [&](unsigned l) {
        const std::size_t read = std::min<std::size_t>(count[l], size);
        if (read) std::memcpy(to[l], from[l], read);
        std::memset(to[l] + read, 0, size - read);
    });
    return i + 1;
}

// How many bytes a copy reads: none where the predicate c holds, else imm.
const Instr *count_unless(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const std::uint32_t ignored = w.pred(i->c);
    each(w, [=](unsigned l) { d[l] = ignored >> l & 1 ? 0 : static_cast<std::uint32_t>(i->imm); });
    return i + 1;
}

// The operand after the size: how many bytes are read, or a predicate that ignores the source.
std::uint32_t count_in(Decoder &d, const Operand &from, std::uint64_t size) {
    if (d.bits_of(from) != 1) return d.in(from, {Type::natural, 32});
    const std::uint32_t ignored = d.pred_in(from), to = d.temporary(32);
    Instr &instr = d.emit(count_unless);
    instr.d = to;
    instr.c = ignored;
    instr.imm = size;
    return to;
}

void decode_copy(Decoder &d) {
    if (!d.has("async")) d.unknown();
    if (d.has("bulk")) return decode_bulk(d);
    if (d.has("mbarrier")) return decode_copies_arrive(d);
    if (d.has("commit_group") || d.has("wait_all")) check::end_group(d);
    if (d.has("wait_group") || d.has("wait_all"))
        check::wait_for_groups(d, d.has("wait_all") ? 0 : d.number(d.operand(0)));
    if (d.has("commit_group") || d.has("wait_group") || d.has("wait_all")) {
        d.emit(nothing);
        return;
    }
    const std::uint64_t size = d.number(d.operand(2));
    if (size != 4 && size != 8 && size != 16) d.unknown();
    const Addressed to = address_in(d, d.operand(0), Window::shared);
    const Addressed from = address_in(d, d.operand(1), Window::generic);
    const bool counted = d.count() > (d.has("L2::cache_hint") ? 4 : 3); // a policy comes last
    const std::uint32_t count = counted ? count_in(d, d.operand(3), size) : d.constant(size, 32);
    const auto offset = static_cast<std::int64_t>(to.offset);
    if (offset >= 1 << 30 || offset < -(1 << 30)) d.unknown();
    Extra &more = d.extra();
    more.slots = {static_cast<std::uint32_t>(offset) & 0x7fffffffu}; // the highest bit marks constants
    check::before_access(d, to, size, check::writes | check::goes_on);
    if (counted)
        d.follow_access(); // how much it reads is known when it runs
    else
        check::before_access(d, from, size, check::reads);
    const std::uint32_t hint = new_hint(d, false);
    Instr &instr = d.emit(copy_async);
    instr.d = to.base;
    instr.a = from.base;
    instr.b = static_cast<std::uint32_t>(size);
    instr.c = count;
    instr.imm = from.offset;
    instr.extra = &more;
    instr.hint = hint;
}

} // namespace

std::vector<Decoding> copy_group() { return {{"cp", decode_copy}}; }

} // namespace pygpu::host::ptx
