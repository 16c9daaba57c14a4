// Functions of ours in front of those that reset a device or unload code.
#include "runtime/endings.hpp"

#include "runtime/api.hpp"
#include "runtime/generation.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace pygpu {
namespace {

// Each function that is counted has an index, and a function of ours that knows it: C passes no context.
constexpr std::size_t most_counted = 24;

struct Counted {
    const Api *api = nullptr;
    void *function = nullptr;
};
std::array<Counted, most_counted> counted;
std::size_t used = 0; // guarded by the GIL, as all loading is

template <std::size_t at> int reset_current() {
    const int device = current_device(counted[at].api->own);
    const int status = reinterpret_cast<int (*)()>(counted[at].function)();
    if (!status) count_reset(device);
    return status;
}

template <std::size_t at> int reset_named(int device) {
    const int status = reinterpret_cast<int (*)(int)>(counted[at].function)(device);
    if (!status) count_reset(device);
    return status;
}

// Counted on both sides: what is learnt of the code while the call runs is forgotten, too.
template <std::size_t at> int end_code(void *handle) {
    count_ended_code();
    const int status = reinterpret_cast<int (*)(void *)>(counted[at].function)(handle);
    count_ended_code();
    return status;
}

template <std::size_t... at> void *in_front(std::size_t index, Ends ends, std::index_sequence<at...>) {
    static constexpr int (*current_ones[])() = {reset_current<at>...};
    static constexpr int (*named_ones[])(int) = {reset_named<at>...};
    static constexpr int (*code_ones[])(void *) = {end_code<at>...};
    switch (ends) {
    case Ends::current_device:
        return reinterpret_cast<void *>(current_ones[index]);
    case Ends::named_device:
        return reinterpret_cast<void *>(named_ones[index]);
    case Ends::code:
        return reinterpret_cast<void *>(code_ones[index]);
    }
    return nullptr;
}

} // namespace

void *counting_endings(const Api &api, const char *name, void *function) {
    for (const Ending &ending : api.endings) {
        if (!name || std::string_view(ending.function) != name || used == most_counted) continue;
        counted[used] = {&api, function};
        return in_front(used++, ending.ends, std::make_index_sequence<most_counted>{});
    }
    return function;
}

} // namespace pygpu
