// Functions of ours in front of those that reset a device.
#include "runtime/resets.hpp"

#include "runtime/api.hpp"
#include "runtime/generation.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace pygpu {
namespace {

// Each function that is counted has an index, and a function of ours that knows it: C passes no context.
constexpr std::size_t most_counted = 16;

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

template <std::size_t... at> void *in_front(std::size_t index, bool named, std::index_sequence<at...>) {
    static constexpr int (*current_ones[])() = {reset_current<at>...};
    static constexpr int (*named_ones[])(int) = {reset_named<at>...};
    return named ? reinterpret_cast<void *>(named_ones[index])
                 : reinterpret_cast<void *>(current_ones[index]);
}

} // namespace

void *counting_resets(const Api &api, const char *name, void *function) {
    for (const Reset &reset : api.resets) {
        if (!name || std::string_view(reset.function) != name || used == most_counted) continue;
        counted[used] = {&api, function};
        return in_front(used++, reset.named, std::make_index_sequence<most_counted>{});
    }
    return function;
}

} // namespace pygpu
