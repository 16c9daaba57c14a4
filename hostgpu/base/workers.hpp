// Threads that run queued work: as many as there are queues with work at the same time.
#pragma once

#include <memory>

namespace pygpu::host {

// A queue that a thread serves.
class Served {
public:
    virtual ~Served() = default;
    // Runs queued work until there is none.
    virtual void work_on() = 0;
};

// Gives the queue a thread until it is empty. Throws std::system_error where none can be started.
void serve(std::shared_ptr<Served> queue);

} // namespace pygpu::host
