// Advice on managed memory: remembered, and told when asked.
#include "host/api/api.hpp"
#include "host/api/find.hpp"

#include <algorithm>
#include <cstring>

namespace pygpu::host::api {
namespace {

constexpr int of_host = -1, nowhere = -2; // how the old attributes name the CPU and no place

Memory managed(const void *pointer, std::size_t count) {
    if (!pointer || !count) return nullptr;
    Memory memory = memory_at(pointer);
    return memory && memory->kind == MemoryKind::managed && memory->contains(pointer, count) ? memory
                                                                                             : nullptr;
}

bool is_place(const Location &location) {
    if (location.type == on_device) return is_device(location.id);
    return location.type >= on_host && location.type <= on_host_numa_current;
}

int as_number(const Location &location) { return location.type == on_device ? location.id : of_host; }

template <class Value> Status tell(void *data, std::size_t size, Value value) {
    if (size != sizeof value) return Status::invalid_value;
    std::memcpy(data, &value, sizeof value);
    return Status::success;
}

} // namespace

Status prefetch(const void *pointer, std::size_t count, Location location, StreamTag *stream) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    const Memory memory = managed(pointer, count);
    if (!memory) return Status::invalid_value;
    if (!is_place(location))
        return location.type == on_device ? Status::invalid_device : Status::invalid_value;
    memory->prefetched = as_number(location);
    memory->prefetch_type = static_cast<int>(location.type);
    return Status::success;
}

Status advise(const void *pointer, std::size_t count, int advice, Location location) {
    const Memory memory = managed(pointer, count);
    if (!memory) return Status::invalid_value;
    const bool needs_place = advice == 3 || advice == 5 || advice == 6;
    if (needs_place && !is_place(location)) return Status::invalid_value;
    const int place = as_number(location);
    std::vector<int> &by = memory->accessed_by;
    switch (advice) {
    case 1:
    case 2:
        memory->read_mostly = advice == 1;
        return Status::success;
    case 3:
        memory->preferred = place;
        memory->preferred_type = static_cast<int>(location.type);
        return Status::success;
    case 4:
        memory->preferred = nowhere;
        memory->preferred_type = no_location;
        return Status::success;
    case 5:
        if (std::find(by.begin(), by.end(), place) == by.end()) by.push_back(place);
        return Status::success;
    case 6:
        std::erase(by, place);
        return Status::success;
    default:
        return Status::invalid_value;
    }
}

Status MemRangeGetAttribute(void *data, std::size_t size, int attribute, const void *pointer,
                            std::size_t count) {
    const Memory memory = managed(pointer, count);
    if (!data || !memory) return Status::invalid_value;
    switch (attribute) {
    case 1:
        return tell(data, size, memory->read_mostly ? 1 : 0);
    case 2:
        return tell(data, size, memory->preferred);
    case 3: {
        if (!size || size % sizeof(int)) return Status::invalid_value;
        std::vector<int> list(size / sizeof(int), nowhere);
        for (std::size_t index = 0; index < std::min(list.size(), memory->accessed_by.size()); ++index)
            list[index] = memory->accessed_by[index];
        std::memcpy(data, list.data(), size);
        return Status::success;
    }
    case 4:
        return tell(data, size, memory->prefetched);
    case 5:
        return tell(data, size, memory->preferred_type);
    case 6:
        return tell(data, size, std::max(memory->preferred, 0));
    case 7:
        return tell(data, size, memory->prefetch_type);
    case 8:
        return tell(data, size, std::max(memory->prefetched, 0));
    default:
        return Status::invalid_value;
    }
}

} // namespace pygpu::host::api
