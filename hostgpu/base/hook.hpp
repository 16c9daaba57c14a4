// A function of the user's that the runtime calls, and that can be taken away while threads call it.
#pragma once

#include "base/process.hpp"

#include <atomic>

namespace pygpu::host {

template <class Function> class Hook {
public:
    // Waits until no other thread is inside the former function. It may belong to an interpreter that is
    // about to end, and that would end such a thread within our frames. A forked child has no other threads
    // to wait for.
    void set(Function *to) {
        if (function_.exchange(nullptr) && !inside_ && !process.forked) {
            while (const int now = calls_) calls_.wait(now);
        }
        function_ = to;
    }

    // Calls it; false where there is none.
    template <class... Arguments> bool operator()(Arguments... arguments) {
        if (!function_.load()) return false; // set() doesn't have to wait for newcomers
        const Call call(*this);
        Function *function = function_;
        if (function) function(arguments...);
        return function != nullptr;
    }

private:
    struct Call {
        explicit Call(Hook &its) : hook(its) { ++hook.calls_, ++inside_; }
        ~Call() {
            --inside_;
            if (--hook.calls_ == 0) hook.calls_.notify_all();
        }
        Hook &hook;
    };

    std::atomic<Function *> function_{nullptr};
    std::atomic<int> calls_{0};
    static thread_local int inside_; // of this thread: the function may call set() itself
};

template <class Function> thread_local int Hook<Function>::inside_ = 0;

} // namespace pygpu::host
