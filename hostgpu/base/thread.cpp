// The state of the calling thread.
#include "base/thread.hpp"

namespace pygpu::host {

ThreadState &thread() {
    thread_local ThreadState state;
    return state;
}

} // namespace pygpu::host
