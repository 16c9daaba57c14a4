// Looking up variables by their addresses.
#include "ptx/check/names.hpp"

#include "common/demangled.hpp"
#include "ptx/check/checked_access.hpp"
#include "ptx/machine/access.hpp"
#include "ptx/read/loaded.hpp"

#include <cstdio>

namespace pygpu::host::ptx::check {
namespace {

// Where a frame's variables lie in the stack, and where memory of alloca starts.
std::uint64_t locals_at(const Frame &frame) {
    const std::uint64_t alignment = frame.body->local_alignment;
    return (frame.local_at + alignment - 1) / alignment * alignment;
}
std::uint64_t allocated_at(const Frame &frame) { return frame.local_at + frame.body->local; }

std::string named(const Function &function, const LocalSlot &one) {
    // The compiler puts all arrays of a function into one variable of this name.
    const bool all = one.name.starts_with("__local_depot");
    return (all ? "local arrays of " + demangled(function.name) : demangled(one.name)) + " (local, " +
           bytes(one.size) + ")";
}

// "4 bytes behind the end of x"
std::string behind(std::uint64_t distance, const std::string &what) {
    return bytes(distance) + " behind the end of " + what;
}

} // namespace

std::string what_it_does(const Instr &at) {
    const std::uint32_t kind = kind_of(at);
    const char *const name = kind & atomic && kind & reads && kind & writes ? "atomic on "
                             : kind & writes                                ? "write of "
                                                                            : "read of ";
    return (kind & goes_on                                                   ? "asynchronous "
            : kind & atomic && (kind & (reads | writes)) != (reads | writes) ? "volatile "
                                                                             : "") +
           (name + bytes(size_of(at)));
}

std::string bytes(std::uint64_t count) { return std::to_string(count) + (count == 1 ? " byte" : " bytes"); }

std::string hex(std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

std::string shared_name(const Block &block, std::uint64_t offset, bool beyond) {
    // The offset may have 32 or 64 bits.
    const std::int64_t below = offset >> 32 ? static_cast<std::int64_t>(offset)
                                            : static_cast<std::int32_t>(static_cast<std::uint32_t>(offset));
    if (beyond && below < 0)
        return bytes(0 - static_cast<std::uint64_t>(below)) + " before the start of shared memory";
    std::string_view name;
    std::uint64_t begin = 0, size = 0;
    each_shared(block, [&](const Variable &one, std::uint64_t at, std::uint64_t length) {
        const bool fits = beyond ? offset >= at && at >= begin : offset >= at && offset - at < length;
        if (!fits) return;
        name = one.name;
        begin = at;
        size = length;
    });
    if (name.empty()) return "shared memory at " + hex(offset);
    const std::string whole = demangled(name) + " (shared, " + bytes(size) + ")";
    if (!beyond) return "byte " + std::to_string(offset - begin) + " of " + whole;
    return behind(offset - begin - std::min(size, offset - begin), whole);
}

bool is_local(const Frame &frame, std::uint64_t offset, std::size_t size) {
    const auto has = [&](std::uint64_t begin, std::uint64_t end) {
        return offset >= begin && offset < end && end - offset >= size;
    };
    for (const Frame *one = &frame; one; one = one->parent) {
        if (has(allocated_at(*one), one->local_top)) return true;
        for (const LocalSlot &place : one->body->locals) {
            const std::uint64_t begin = locals_at(*one) + place.at;
            if (has(begin, begin + place.size)) return true;
        }
    }
    return false;
}

std::string local_name(const Frame &frame, std::uint64_t offset, bool beyond) {
    const LocalSlot *before = nullptr, *after = nullptr;
    const Frame *of_before = nullptr, *of_after = nullptr;
    std::uint64_t end_before = 0, begin_after = 0;
    for (const Frame *one = &frame; one; one = one->parent) {
        for (const LocalSlot &place : one->body->locals) {
            const std::uint64_t begin = locals_at(*one) + place.at, end = begin + place.size;
            if (offset >= begin && (!beyond ? offset < end : !before || end > end_before)) {
                before = &place;
                of_before = one;
                end_before = end;
            }
            if (offset < begin && (!after || begin < begin_after)) {
                after = &place;
                of_after = one;
                begin_after = begin;
            }
        }
    }
    const bool is_after =
        !before || (after && offset >= end_before && begin_after - offset <= offset - end_before);
    if (!beyond && before)
        return "byte " + std::to_string(offset - (end_before - before->size)) + " of " +
               named(*of_before->body->function, *before);
    if (after && is_after)
        return bytes(begin_after - offset) + " before " + named(*of_after->body->function, *after);
    if (before)
        return behind(offset - std::min(end_before, offset), named(*of_before->body->function, *before));
    return "local memory at " + hex(offset);
}

std::string global_name(const Block &block, std::uint64_t address, std::size_t size) {
    if (address < null_page) return "a null pointer" + (address ? " plus " + bytes(address) : "");
    AddressRange before, after;
    block.launch.memories->around(address, before, after);
    const auto described = [&](const AddressRange &one) {
        const std::string length = bytes(one.end - one.begin);
        if (const auto name = block.launch.loaded->name_at(one.begin))
            return demangled(*name) + " (global, " + length + ")";
        return "an allocation of " + length;
    };
    if (before.end > address) {
        if (before.end - address < size) return "beyond the end of " + described(before);
        return "byte " + std::to_string(address - before.begin) + " of " + described(before) +
               (before.writable ? "" : ", only read");
    }
    const bool is_after = before.end && (!after.begin || address - before.end <= after.begin - address);
    if (is_after) return behind(address - before.end, described(before));
    if (after.begin) return bytes(after.begin - address) + " before " + described(after);
    return hex(address) + ", where nothing is allocated";
}

} // namespace pygpu::host::ptx::check
