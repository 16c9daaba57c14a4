// Who used a piece of memory, and what its free has to come after.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/memory/loan.hpp"
#include "python/reference.hpp"

#include <Python.h>

#include <cstdint>
#include <vector>

namespace pygpu::arrays {

struct Order {
    struct Use {
        Stream stream;
        int device;
        Reference owner;
        std::uint64_t begun = 0;  // uses queued
        std::uint64_t waited = 0; // of these, already waited for by a synchronous call
        std::uint64_t behind = 0; // home-stream work this use waited for
    };

    Stream home = nullptr; // the stream whose order the memory follows
    Reference home_owner;
    Reference owner;       // of a user's: the allocator, or what it gave
    std::vector<Use> uses; // on other streams
    Loan loan;             // of another library's memory
    bool escaped = false;  // code that PyGPU can't see may use it

    // Whether it holds no object.
    bool is_empty() const { return !home_owner && !owner && !loan && uses.empty(); }
    // Whether it holds a loan and nothing else.
    bool is_loan() const { return loan && !home_owner && !owner && uses.empty(); }
    // Whether a stream that used the memory was destroyed since.
    bool used_destroyed() const;
    int visit(visitproc visit, void *arg) const;
};

} // namespace pygpu::arrays
