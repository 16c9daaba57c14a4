// Running a piece of work, and keeping the memory that it uses.
#include "streams/work.hpp"

#include "base/caught.hpp"
#include "base/process.hpp"

#include <chrono>
#include <thread>

namespace pygpu::host {

Work::~Work() { release(); }

void Work::keep(Memory memory) {
    if (!memory) return;
    uses.push_back(std::move(memory));
    ++uses.back()->queued;
}

void Work::release() {
    for (Memory &memory : uses) --memory->queued;
    uses.clear();
}

void run_piece(Work &work) {
    if (work.user) {
        park_when_ending();
        return work.run();
    }
    ++process.running;
    // A failure here could not be reported, so work is made to need neither memory nor anything else that may
    // fail.
    if (!process.ending.load()) caught([&] { return work.run(), Status::success; });
    --process.running;
}

// At exit queued work is never run: the thread that would run it stops here for good.
void park_when_ending() {
    while (process.unusable.load(std::memory_order_acquire))
        std::this_thread::sleep_for(std::chrono::hours(1));
}

} // namespace pygpu::host
