// The functions that end all that lives on a device, or code, counted wherever they are called from.
//
// Each has a function of ours that is called in its place: C passes no context, so its API and its place in
// the list are template parameters.
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

// Counted on both sides: what is learnt of the code while the call runs is forgotten, too.
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
