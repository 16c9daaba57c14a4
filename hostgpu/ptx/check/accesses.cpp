// Accesses that can't be right, and lanes that can't take part: what the checker says of them.
#include "ptx/check/checked_access.hpp"
#include "ptx/check/checker.hpp"
#include "ptx/check/names.hpp"
#include "ptx/machine/access.hpp"

#include <algorithm>

namespace pygpu::host::ptx::check {
namespace {

constexpr std::string_view out_of_bounds = "access out of bounds", not_aligned = "misaligned access";

// A null pointer, and an index or a field's offset on top.
bool is_null(std::uint64_t address) { return address < null_page; }

} // namespace

bool Checker::find_shared(std::uint64_t offset, std::size_t size) {
    const auto behind = std::ranges::upper_bound(arrays_, std::pair{offset, ~std::uint64_t{0}});
    if (behind == arrays_.begin()) return false;
    array_ = *std::prev(behind);
    return array_.second > offset && array_.second - offset >= size;
}

std::string Checker::name(const Warp &warp, std::uint64_t address, std::size_t size, Window space) {
    if (space == Window::shared) return shared_name(block_, address, !has_shared(address, size));
    if (space == Window::local)
        return local_name(*warp.frame, address, !is_local(*warp.frame, address, size));
    return global_name(block_, address, size);
}

void Checker::outside(Finding finding, const Instr &at, const Warp &warp, unsigned lane,
                      const std::string &what, std::uint64_t address, std::size_t size, Window space) {
    reported_ = at.line;
    FreedPiece freed;
    if (space == Window::generic && finding.title == out_of_bounds) {
        freed = block_.launch.memories->freed(address);
        if (is_null(address)) finding.title = "access by a null pointer";
        if (!freed.what.empty()) finding.title = "use of memory after it was freed";
    }
    if (!reports_.is_new(finding)) return;
    Reports::Rows details = rows(
        at, warp, lane,
        what + ", " +
            (freed.what.empty() ? name(warp, address, size, space)
                                : "byte " + std::to_string(address - freed.begin) + " of " + freed.what));
    if (!freed.what.empty()) details.emplace_back("freed at", std::move(freed.where));
    reports_.add(finding, std::move(details));
}

void Checker::misaligned(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t address,
                         Window space) {
    outside(finding(not_aligned, warp, at), at, warp, lane, what_it_does(at), address, size_of(at), space);
}

void Checker::beyond(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t address, Window space) {
    outside(finding(out_of_bounds, warp, at), at, warp, lane, what_it_does(at), address, size_of(at), space);
}

void Checker::foreign(const Instr &at, const Warp &warp, unsigned lane, std::uint32_t owner) {
    const Finding problem = finding("access to another thread's local memory", warp, at);
    if (reports_.is_new(problem))
        reports_.add(problem, rows(at, warp, lane,
                                   what_it_does(at) + ", local memory of thread " + block_.index_of(owner)));
}

void Checker::failed(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t address,
                     std::size_t size, Window space, bool misaligned) {
    if (reported_ == at.line) return;
    outside(finding(misaligned ? not_aligned : out_of_bounds, warp, at), at, warp, lane,
            "access to " + bytes(size), address, size, space);
}

void Checker::bad_free(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t address, bool twice) {
    const FreedPiece freed = block_.launch.memories->freed(address);
    const Finding problem = finding(
        twice ? "memory is freed twice" : "free() of an address that malloc() didn't return", warp, at);
    if (!reports_.is_new(problem)) return;
    Reports::Rows details =
        rows(at, warp, lane, "free() of " + (twice ? freed.what : global_name(block_, address, 1)));
    if (twice) details.emplace_back("freed at", freed.where);
    reports_.add(problem, std::move(details));
}

// PTX ISA, "shfl.sync", "vote.sync", "match.sync", "redux.sync", "bar.warp.sync": "the behavior is undefined
// if the executing thread is not in the membermask". Lanes of a mask that have exited aren't waited for.
void Checker::unnamed(const Instr &at, const Warp &warp, unsigned lane, std::uint32_t mask) {
    const Finding problem = finding("mask without the thread that names it", warp, at);
    if (reports_.is_new(problem))
        reports_.add(problem, rows(at, warp, lane, "lane " + std::to_string(lane) + ", mask " + hex(mask)));
}

// CUDA C++ Programming Guide, "Warp Shuffle Functions": "if the target thread is inactive, the retrieved
// value is undefined". Lanes at the edge of a mask usually read beyond it by up, down and bfly, and drop the
// value.
void Checker::shuffled(const Instr &at, const Warp &warp, std::uint32_t lanes, const std::uint32_t *sources,
                       const std::uint32_t *masks, bool by_index) {
    for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const std::uint32_t source = sources[lane] & 31, mask = masks[lane];
        const bool is_named = mask >> source & 1;
        if (!mask || lanes >> source & 1 || !(is_named || by_index)) continue;
        const Finding problem = finding("shuffle from a lane that takes no part", warp, at);
        if (!reports_.is_new(problem)) continue;
        const char *const why = !(warp.exists >> source & 1) ? "the block has no such thread"
                                : warp.live >> source & 1    ? "the mask doesn't name it"
                                                             : "it has exited";
        Reports::Rows details = rows(at, warp, lane,
                                     "lane " + std::to_string(lane) + " reads lane " +
                                         std::to_string(source) + ", mask " + hex(mask));
        details.emplace_back("why", why);
        reports_.add(problem, std::move(details));
    }
}

} // namespace pygpu::host::ptx::check
