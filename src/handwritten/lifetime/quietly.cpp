// Relaxing the capture mode, and keeping the last error.
#include "lifetime/quietly.hpp"

#include <system_error>
#include <thread>

namespace pygpu {
namespace {

constexpr int relaxed = 2; // …StreamCaptureModeRelaxed, in both APIs

int relaxing(const OwnCalls &own, int (*call)(void *argument), void *argument) {
    int mode = relaxed;
    const int refused = own.exchange_capture_mode ? own.exchange_capture_mode(&mode) : 0;
    const int status = call(argument);
    if (own.exchange_capture_mode && !refused) own.exchange_capture_mode(&mode);
    if ((status || refused) && own.get_last_error) own.get_last_error();
    return status;
}

} // namespace

int quietly(const OwnCalls &own, int (*call)(void *argument), void *argument) {
    if (!own.peek_last_error || !own.peek_last_error()) return relaxing(own, call, argument);
    const int device = current_device(own);
    int status = 0;
    try {
        std::thread([&] {
            if (own.set_device) own.set_device(device);
            status = relaxing(own, call, argument);
        }).join();
    } catch (const std::system_error &) { // no thread to be had: the call matters more
        return relaxing(own, call, argument);
    }
    return status;
}

} // namespace pygpu
