// Recording events, and waiting for what was recorded.
#include "streams/event.hpp"

#include "base/interrupt.hpp"
#include "base/process.hpp"
#include "base/settings.hpp"
#include "base/thread.hpp"
#include "streams/capture.hpp"

#include <chrono>
#include <condition_variable>

namespace pygpu::host {

namespace {

// What threads wait on for recordings that nodes of graphs reach.
struct GraphRecordings {
    std::mutex mutex;
    std::condition_variable changed;
};

GraphRecordings &graph_recordings() {
    static auto *all = new GraphRecordings;
    return *all;
}

} // namespace

Handles<Event> &events() {
    static auto *handles = new Handles<Event>;
    return *handles;
}

void Recording::reach(SharedEvent *across) {
    nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::steady_clock::now().time_since_epoch())
                      .count();
    reached.store(true, std::memory_order_release);
    if (across) across->reach(number);
    if (!in_graph) return;
    std::lock_guard lock(graph_recordings().mutex);
    graph_recordings().changed.notify_all();
}

void Recording::wait() {
    if (!in_graph) return point.wait();
    GraphRecordings &all = graph_recordings();
    std::unique_lock lock(all.mutex);
    Stream *const waiting = running_stream();
    while (!reached.load(std::memory_order_acquire) && !process.ending && !(waiting && waiting->gives_up())) {
        all.changed.wait_for(lock, std::chrono::milliseconds(50)); // looks for the end and for Ctrl-C
        if (!can_be_interrupted()) continue;
        lock.unlock();
        ask_for_interrupt(thread().device);
        lock.lock();
    }
}

void Event::record(const std::shared_ptr<Stream> &stream) {
    auto recording = std::make_shared<Recording>();
    recording->captured = capture_point(*stream);
    if (!recording->captured) {
        if (across) recording->number = across->begin();
        try {
            if (settings().strict || !stream->run_now([&] { recording->reach(across.get()); })) {
                auto work = make_work([recording, across = across] { recording->reach(across.get()); });
                work->marks = true;
                recording->point = stream->submit(std::move(work));
            }
        } catch (...) { // all processes would wait for this recording
            if (across) across->reach(recording->number);
            throw;
        }
    }
    std::lock_guard lock(mutex_);
    recording_ = std::move(recording);
}

std::function<void()> Event::record_in_graph() {
    auto made = std::make_shared<Recording>();
    made->in_graph = true;
    if (across) made->number = across->begin();
    std::lock_guard lock(mutex_);
    recording_ = made;
    return [made, across = across] {
        if (!made->reached) made->reach(across.get());
    };
}

std::function<void()> Event::wait_in_graph() const {
    const std::shared_ptr<Recording> here = recording();
    if (const std::uint32_t elsewhere = recorded_elsewhere(here))
        return [across = across, elsewhere] { across->wait(elsewhere); };
    if (!here || here->captured || here->reached.load(std::memory_order_acquire)) return [] {};
    return [here] { here->wait(); };
}

std::shared_ptr<Recording> Event::recording() const {
    std::lock_guard lock(mutex_);
    return recording_;
}

std::shared_ptr<const Captured> Event::captured() const {
    const std::shared_ptr<Recording> here = recording();
    return here ? here->captured : nullptr;
}

std::uint32_t Event::recorded_elsewhere(const std::shared_ptr<Recording> &here) const {
    const std::uint32_t last = across ? across->last() : 0;
    return here && here->number == last ? 0 : last;
}

bool Event::reached() const {
    const std::shared_ptr<Recording> here = recording();
    if (const std::uint32_t elsewhere = recorded_elsewhere(here)) return across->reached(elsewhere);
    return !here || here->reached.load(std::memory_order_acquire);
}

void Event::wait() const {
    const std::shared_ptr<Recording> here = recording();
    if (const std::uint32_t elsewhere = recorded_elsewhere(here))
        across->wait(elsewhere);
    else if (here)
        here->wait();
}

void Event::make_wait(Stream &stream) const {
    const std::shared_ptr<Recording> here = recording();
    if (joins(stream, here ? here->captured.get() : nullptr)) return;
    if (const std::uint32_t elsewhere = recorded_elsewhere(here)) {
        if (!across->reached(elsewhere))
            stream.submit(make_work([across = across, elsewhere] { across->wait(elsewhere); }));
    } else if (here && !here->reached.load(std::memory_order_acquire)) {
        std::unique_ptr<Work> work = here->in_graph ? make_work([here] { here->wait(); }) : make_work([] {});
        if (!here->in_graph) work->after.push_back(here->point);
        stream.submit(std::move(work));
    }
}

} // namespace pygpu::host
