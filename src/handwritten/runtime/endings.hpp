// Counts the calls that end all objects of a device, or loaded code, wherever such a call comes from.
//
// For each of these functions, one of ours is called instead. C passes no context to it, so the API and the
// position in the API's list are template parameters.
#pragma once

#include "runtime/api.hpp"
#include "runtime/generation.hpp"

#include <cstddef>

namespace pygpu {

template <Api &api, std::size_t at> int end_current_device() {
    const int device = current_device(api.own);
    const int status = reinterpret_cast<int (*)()>(api.endings[at].served)();
    if (!status) count_reset(device);
    return status;
}

template <Api &api, std::size_t at> int end_named_device(int device) {
    const int status = reinterpret_cast<int (*)(int)>(api.endings[at].served)(device);
    if (!status) count_reset(device);
    return status;
}

// Counted before and after the call, so that facts about the code that were learnt during the call are
// forgotten, too.
template <Api &api, std::size_t at> int end_code(void *handle) {
    count_ended_code();
    const int status = reinterpret_cast<int (*)(void *)>(api.endings[at].served)(handle);
    count_ended_code();
    return status;
}

template <class Function> Ending ending(const char *function, Function *counting) {
    return {function, reinterpret_cast<void *>(counting)};
}

} // namespace pygpu
