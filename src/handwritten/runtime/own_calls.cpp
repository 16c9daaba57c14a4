// Asking a runtime for the current device, and clearing its last error.
#include "runtime/own_calls.hpp"

namespace pygpu {

void forget_last_error(const OwnCalls &own, int status) {
    if (status && own.peek_last_error && own.get_last_error && own.peek_last_error() == status)
        own.get_last_error();
}

int current_device(const OwnCalls &own) {
    int device = 0;
    return own.get_device && !own.get_device(&device) ? device : 0;
}

} // namespace pygpu
