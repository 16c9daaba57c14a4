// What belongs to each thread: current device, last error, the call it is in.
#pragma once

#include <map>
#include <memory>

namespace pygpu::host {

class Stream;
struct Call;

struct ThreadState {
    int device = 0;
    int last_error[2] = {0, 0}; // by Vendor
    int last_status = 0;        // of HIP's last call, success included
    const Call *call = nullptr; // the exported function that runs, for reports
    bool per_thread = false;    // the default stream of this call is the thread's own
    bool in_callback = false;   // on a stream's thread, inside a user's function
    int capture_mode = 0;
    std::map<int, std::shared_ptr<Stream>> streams; // the per-thread default streams, by device

    ~ThreadState();
};

ThreadState &thread();

} // namespace pygpu::host
