// The process's mappings, in the order in which the system lists them.
#include "base/mapped.hpp"

#include "common/checked_int.hpp"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>

namespace pygpu::host {
namespace {

// Calls visit(first, last, letters) for each range, until it returns false.
template <class Visit> void each_range(Visit visit) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE *)> maps(std::fopen("/proc/self/maps", "re"),
                                                                std::fclose);
    if (!maps) throw std::bad_alloc();
    std::uintptr_t first = 0, last = 0;
    char letters[5] = {};
    while (std::fscanf(maps.get(), "%" SCNxPTR "-%" SCNxPTR " %4s%*[^\n]", &first, &last, letters) == 3) {
        if (!visit(first, last, letters)) return;
    }
}

} // namespace

Rights rights_to(const void *pointer, std::size_t size) {
    std::uintptr_t at = reinterpret_cast<std::uintptr_t>(pointer), end = 0;
    if (!(CheckedInt(at) + size).fits(end)) return Rights::none;
    Rights rights = Rights::write;
    each_range([&](std::uintptr_t first, std::uintptr_t last, const char *letters) {
        if (last <= at) return true;
        if (first > at || letters[0] != 'r') return false;
        if (letters[1] != 'w') rights = Rights::read;
        at = last;
        return at < end;
    });
    return at < end ? Rights::none : rights;
}

std::string_view readable_at(const void *pointer) {
    const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
    std::uintptr_t end = begin;
    each_range([&](std::uintptr_t first, std::uintptr_t last, const char *letters) {
        if (last <= end) return true;
        if (first > end || letters[0] != 'r') return false;
        end = last;
        return true;
    });
    return {static_cast<const char *>(pointer), end - begin};
}

} // namespace pygpu::host
