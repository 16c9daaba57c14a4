// A user's function as queued work: it runs on the thread that serves the stream, where most calls are
// refused.
#pragma once

#include "base/thread.hpp"
#include "streams/stream.hpp"

#include <utility>

namespace pygpu::host {

template <class Function> std::unique_ptr<Work> make_user_work(int device, Function function) {
    std::unique_ptr<Work> work = make_work(
        [device, function = std::move(function)] {
            ThreadState &state = thread();
            state.device = device;
            state.in_callback = true;
            function();
            state.in_callback = false;
        },
        Task::host);
    work->user = true;
    return work;
}

} // namespace pygpu::host
