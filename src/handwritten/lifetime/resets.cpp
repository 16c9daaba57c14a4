// Functions of ours in front of those that reset a device.
#include "lifetime/resets.hpp"

#include "lifetime/epoch.hpp"
#include "loader/api.hpp"

#include <cstring>

namespace pygpu {
namespace {

// The current device's, by API and name.
template <int number> struct ResetOfCurrent {
    inline static int (*function)() = nullptr;
    inline static const Api *api = nullptr;

    static int call() {
        const int device = current_device(api->own);
        const int status = function();
        if (!status) count_reset(device);
        return status;
    }
};

// A device's that is named.
struct ResetOfNamed {
    inline static int (*function)(int device) = nullptr;

    static int call(int device) {
        const int status = function(device);
        if (!status) count_reset(device);
        return status;
    }
};

template <int number> void *in_front_of(const Api &api, void *function) {
    using Reset = ResetOfCurrent<number>;
    Reset::api = &api;
    Reset::function = reinterpret_cast<int (*)()>(function);
    return reinterpret_cast<void *>(&Reset::call);
}

} // namespace

void *counting_resets(const Api &api, const char *symbol, void *function) {
    if (!std::strcmp(symbol, "cudaDeviceReset")) return in_front_of<0>(api, function);
    if (!std::strcmp(symbol, "cudaThreadExit")) return in_front_of<1>(api, function);
    if (!std::strcmp(symbol, "hipDeviceReset")) return in_front_of<2>(api, function);
    if (!std::strcmp(symbol, "hipDevicePrimaryCtxReset")) {
        ResetOfNamed::function = reinterpret_cast<int (*)(int)>(function);
        return reinterpret_cast<void *>(&ResetOfNamed::call);
    }
    return function;
}

} // namespace pygpu
