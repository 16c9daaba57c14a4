// Advice on managed memory and prefetches.
#include "api/managed.hpp"

#include "api/api.hpp"
#include "api/find.hpp"
#include "base/call.hpp"
#include "device/device.hpp"
#include "memory/advice.hpp"
#include "streams/capture.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace pygpu::host {
namespace {

int as_number(const Location &location) {
    if (location.type == no_location) return nowhere;
    return location.type == on_device ? location.id : host_number;
}

template <class Value> Status copy_out_value(void *data, std::size_t size, Value value) {
    if (size != sizeof value) return Status::invalid_value;
    std::memcpy(data, &value, sizeof value);
    return Status::success;
}

std::size_t offset_of(const Memory &memory, const void *pointer) {
    return static_cast<std::size_t>(static_cast<const char *>(pointer) - memory->base);
}

// Some bytes of managed memory.
struct ManagedRange {
    std::shared_ptr<AdvisedPages> pages;
    std::size_t begin, end;

    template <class Change> void change(Change change) const { pages->change(begin, end, change); }
    template <class Look> void each(Look look) const { pages->each(begin, end, look); }

    // The value that all its pages share; `otherwise` where they differ.
    template <class Value> Value common(Value Advice::*what, Value otherwise) const {
        std::optional<Value> value;
        bool differ = false;
        each([&](const Advice &advice) {
            differ |= value && *value != advice.*what;
            value = advice.*what;
        });
        return differ ? otherwise : *value;
    }
};

ManagedRange managed_part(const Memory &memory, const void *pointer, std::size_t count) {
    const std::size_t begin = offset_of(memory, pointer);
    return {advised_pages_of(*memory), begin, begin + count};
}

// Lists who accesses all the pages, devices first, and -2 in the rest of the list.
Status copy_out_accessors(const ManagedRange &part, void *data, std::size_t size) {
    // No process has as many bytes as that.
    if (!size || size % sizeof(int) || size >> 48) return Status::invalid_value;
    std::optional<std::set<int>> common;
    part.each([&](const Advice &advice) {
        if (!common) common = advice.accessed_by;
        std::erase_if(*common, [&](int one) { return !advice.accessed_by.contains(one); });
    });
    std::vector<int> numbers(common->begin(), common->end());
    // The host, -1, comes last, as an H100 lists it.
    std::ranges::sort(numbers, {}, [](int number) { return static_cast<unsigned>(number); });
    char *to = static_cast<char *>(data), *const end = to + size;
    auto next = numbers.begin();
    for (; to != end; to += sizeof(int)) {
        const int number = next == numbers.end() ? nowhere : *next++;
        std::memcpy(to, &number, sizeof number);
    }
    return Status::success;
}

constexpr int coherency = 100; // an attribute that only HIP has

// 0: fine-grained, 1: coarse-grained, 2: not the same everywhere. Of memory that takes no advice, a device's
// is coarse-grained and the host's is not (Device::GetSvmAttributes() in ROCm/clr,
// rocclr/device/rocm/rocdevice.cpp; Unit_hipMalloc_CoherentTst in hip-tests,
// catch/unit/memory/hipMemCoherencyTst.cc).
int coherency_of(const Memory &memory, const void *pointer, std::size_t count) {
    if (memory->kind != MemoryKind::managed) return memory->on_device() ? 1 : 0;
    const ManagedRange part = managed_part(memory, pointer, count);
    if (part.common(&Advice::coarse_grain, false)) return 1;
    return part.common(&Advice::coarse_grain, true) ? 2 : 0;
}

// Where memory was made; managed memory: where it was last prefetched to, else with the host, as all is here.
Location location_of(const Memory &memory, const void *pointer) {
    if (memory->kind == MemoryKind::device) return {on_device, memory->device};
    Location location{};
    if (memory->kind == MemoryKind::managed)
        location = managed_part(memory, pointer, 1).common(&Advice::prefetched, location);
    return location.type == no_location ? Location{on_host, 0} : location;
}

// That of most samples; only managed memory has pages in several places.
Location most_common_location(const Memory &memory, const char *first, std::size_t length,
                              std::size_t sample) {
    if (memory->kind != MemoryKind::managed) return location_of(memory, first);
    constexpr std::size_t least = 4096; // a page
    std::map<std::pair<unsigned, int>, std::size_t> counts;
    for (std::size_t offset = 0; offset < length;) {
        const Location location = location_of(memory, first + offset);
        ++counts[{location.type, location.id}];
        const std::size_t step = std::max(sample, least);
        if (step >= length - offset) break;
        offset += step;
    }
    const auto most = std::ranges::max_element(counts, {}, [](const auto &one) { return one.second; });
    return {most->first.first, most->first.second};
}

} // namespace

Memory managed_at(const void *pointer, std::size_t count) {
    if (!pointer || !count) return nullptr;
    Memory memory = memory_at(pointer);
    return memory && memory->kind == MemoryKind::managed && memory->contains(pointer, count) ? memory
                                                                                             : nullptr;
}

bool is_place(const Location &location) {
    if (location.type == on_device) return is_device(location.id);
    return location.type >= on_host && location.type <= on_host_numa_current;
}

Status note_advice(const Memory &memory, const void *pointer, std::size_t count, int advice,
                   const Location &location) {
    const ManagedRange part = managed_part(memory, pointer, count);
    const int number = as_number(location);
    switch (advice) {
    case set_read_mostly:
    case unset_read_mostly:
        part.change([=](Advice &page) { page.read_mostly = advice == set_read_mostly; });
        return Status::success;
    case set_preferred:
        part.change([=](Advice &page) { page.preferred = location; });
        return Status::success;
    case unset_preferred:
        part.change([](Advice &page) { page.preferred = {}; });
        return Status::success;
    case set_accessed_by:
        part.change([=](Advice &page) { page.accessed_by.insert(number); });
        return Status::success;
    case unset_accessed_by:
        part.change([=](Advice &page) { page.accessed_by.erase(number); });
        return Status::success;
    case set_coarse_grain:
    case unset_coarse_grain:
        part.change([=](Advice &page) { page.coarse_grain = advice == set_coarse_grain; });
        return Status::success;
    default:
        return Status::invalid_value;
    }
}

void note_prefetch(const Memory &memory, const void *pointer, std::size_t count, const Location &location) {
    managed_part(memory, pointer, count).change([=](Advice &page) { page.prefetched = location; });
}

namespace api {

Status prefetch(const void *pointer, std::size_t count, Location location, StreamTag *stream) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    const Memory memory = managed_at(pointer, count);
    if (!memory) return Status::invalid_value;
    if (!is_place(location))
        return location.type == on_device ? Status::invalid_device : Status::invalid_value;
    refuse_captured(*on);
    note_prefetch(memory, pointer, count, location);
    return Status::success;
}

Status MemPrefetchAsync(const void *pointer, std::size_t count, Location location, unsigned flags,
                        StreamTag *stream) {
    return flags ? Status::invalid_value : prefetch(pointer, count, location, stream);
}

Status MemAdvise(const void *pointer, std::size_t count, int advice, Location location) {
    const Memory memory = managed_at(pointer, count);
    const bool needs_place =
        advice == set_preferred || advice == set_accessed_by || advice == unset_accessed_by;
    if (!memory || advice > unset_accessed_by || (needs_place && !is_place(location)))
        return Status::invalid_value;
    return note_advice(memory, pointer, count, advice, location);
}

Status MemRangeGetAttribute(void *data, std::size_t size, int attribute, const void *pointer,
                            std::size_t count) {
    const bool hip = current_vendor() == Vendor::hip;
    if (hip && attribute == coherency) {
        const Memory any = memory_at(pointer);
        if (!data || !any || !count || !any->contains(pointer, count)) return Status::invalid_value;
        return copy_out_value(data, size, coherency_of(any, pointer, count));
    }
    const Memory memory = managed_at(pointer, count);
    if (!data || !memory) return Status::invalid_value;
    const ManagedRange part = managed_part(memory, pointer, count);
    const auto preferred = [&] { return part.common(&Advice::preferred, Location{}); };
    const auto prefetched = [&] { return part.common(&Advice::prefetched, Location{}); };
    switch (attribute) {
    case 1:
        return copy_out_value(data, size, part.common(&Advice::read_mostly, false) ? 1 : 0);
    case 2:
        return copy_out_value(data, size, as_number(preferred()));
    case 3:
        return copy_out_accessors(part, data, size);
    case 4:
        return copy_out_value(data, size, as_number(prefetched()));
    case 5:
        return hip ? Status::invalid_value : copy_out_value(data, size, static_cast<int>(preferred().type));
    case 6:
        return hip ? Status::invalid_value : copy_out_value(data, size, preferred().id);
    case 7:
        return hip ? Status::invalid_value : copy_out_value(data, size, static_cast<int>(prefetched().type));
    case 8:
        return hip ? Status::invalid_value : copy_out_value(data, size, prefetched().id);
    default:
        return Status::invalid_value;
    }
}

Status MemRangeGetAttributes(void **data, std::size_t *sizes, int *attributes, std::size_t number,
                             const void *pointer, std::size_t count) {
    if (!data || !sizes || !attributes || !number) return Status::invalid_value;
    for (std::size_t index = 0; index < number; ++index) {
        const Status status =
            MemRangeGetAttribute(data[index], sizes[index], attributes[index], pointer, count);
        if (status != Status::success) return status;
    }
    return Status::success;
}

Status MemGetLocationInfo(const void *pointer, std::size_t size, std::size_t region, std::size_t sample,
                          Location *locations) {
    if (!pointer || !locations || !region || region > size || sample > region) return Status::invalid_value;
    const Memory memory = memory_at(pointer);
    if (!memory || !memory->contains(pointer, size)) return Status::invalid_value;
    const auto *const first = static_cast<const char *>(pointer);
    for (std::size_t offset = 0;; offset += region) {
        const std::size_t length = std::min(region, size - offset);
        *locations++ = most_common_location(memory, first + offset, length, sample);
        if (length == size - offset) return Status::success;
    }
}

} // namespace api
} // namespace pygpu::host
