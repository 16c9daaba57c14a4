// What belongs to each thread: current device, last error, the call it is in.
#pragma once

#include "host_apis.hpp"

#include <atomic>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace pygpu::host {

class Context;
struct Call;

struct ThreadState {
    static inline std::atomic<unsigned long long> last_number{0};
    const unsigned long long number = ++last_number; // never used again, unlike this object's address
    int device = 0;
    int last_error[std::size(hosted_apis)] = {};    // by Vendor
    int last_status = 0;                            // of HIP's last call, success included
    std::vector<std::shared_ptr<Context>> contexts; // CUDA's, the current one last
    const Call *call = nullptr;                     // the exported function that runs, for reports
    const std::string *place = nullptr;             // where a kernel is that allocates or frees, for reports
    bool per_thread = false;                        // the default stream of this call is the thread's own
    bool in_callback = false;                       // on a stream's thread, inside a user's function
    bool asks_whether_done = false; // a success of this call says that work is done, and hasn't failed
    int capture_mode = 0;
};

ThreadState &thread();

} // namespace pygpu::host
