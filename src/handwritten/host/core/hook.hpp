// A function of the user's that the runtime calls, and that can be taken away while threads call it.
#pragma once

#include "host/core/process.hpp"

#include <atomic>

namespace pygpu::host {

template <class Function> class Hook {
public:
    // Once this returns, no other thread is inside the function that was there before: it may belong to an
    // interpreter that is about to end, which would end the thread within our frames. A forked child has no
    // other threads, whatever they were at.
    void set(Function *to) {
        if (function_.exchange(nullptr) && !inside_ && !process.forked) {
            while (const int now = calls_) calls_.wait(now);
        }
        function_ = to;
    }

    // Calls it; false where there is none.
    template <class... Arguments> bool operator()(Arguments... arguments) {
        if (!function_.load()) return false; // what was taken away is not waited for by newcomers
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
    static thread_local int inside_; // this thread's: what is called may take itself away
};

template <class Function> thread_local int Hook<Function>::inside_ = 0;

} // namespace pygpu::host
