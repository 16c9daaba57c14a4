// Looking up what PyGPU calls for itself.
#include "runtime/own_calls.hpp"

#include "runtime/api.hpp"
#include "runtime/library.hpp"

namespace pygpu {

OwnCalls own_calls_of(const Api &api) {
    auto *get_device = find_function<int(int *)>(api, "GetDevice");
    if (!get_device) get_device = find_function<int(int *)>(api, "CtxGetDevice"); // the driver's API
    return {get_device, find_function<int(int)>(api, "SetDevice"),
            find_function<int()>(api, "PeekAtLastError"), find_function<int()>(api, "GetLastError"),
            find_function<int(int *)>(api, "ThreadExchangeStreamCaptureMode"),
            find_function<int(void **, std::size_t)>(api, "Malloc"),
            // The host runtime reports a null event as misuse.
            api.host ? nullptr : find_function<int(void *, void *)>(api, "EventRecord"), api.statuses};
}

void forget_last_error(const OwnCalls &own, int status) {
    if (status && own.peek_last_error && own.get_last_error && own.peek_last_error() == status)
        own.get_last_error();
}

int current_device(const OwnCalls &own) {
    int device = 0;
    return own.get_device && !own.get_device(&device) ? device : 0;
}

} // namespace pygpu
