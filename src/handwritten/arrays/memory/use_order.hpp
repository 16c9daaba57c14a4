// The uses of a piece of memory, which its free has to come after.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/memory/loan.hpp"
#include "python/reference.hpp"

#include <Python.h>

#include <cstdint>
#include <vector>

namespace pygpu::arrays {

struct UseOrder {
    struct Use {
        Stream stream;
        int device;
        Reference owner;
        std::uint64_t begun = 0;  // uses queued
        std::uint64_t waited = 0; // the first `waited` of them: a synchronous call has waited for these
        std::uint64_t behind = 0; // the count of home-stream work that this use has waited for
    };

    Stream home = nullptr; // the stream whose order the memory follows
    Reference home_owner;
    Reference owner;             // whose memory it is: the allocator's, or what the allocator returned
    std::vector<Use> uses;       // on other streams
    Loan loan;                   // if the memory is another library's
    bool escaped = false;        // code that PyGPU can't see may use the memory
    std::uint64_t home_work = 0; // how often work was begun on the home stream

    // Whether no work was queued on the memory. `first_work` is where `home_work` began.
    bool unused(std::uint64_t first_work) const {
        return home_work == first_work && uses.empty() && !escaped;
    }
    // Whether it holds no object and no loan.
    bool is_empty() const { return !home_owner && !owner && !loan && uses.empty(); }
    // Whether it holds a loan and nothing else.
    bool is_loan() const { return loan && !home_owner && !owner && uses.empty(); }
    // Whether a stream that used the memory was destroyed since.
    bool used_destroyed() const;
    int visit(visitproc visit, void *arg) const;
};

} // namespace pygpu::arrays
