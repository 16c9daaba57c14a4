// Streams: each runs its work in order, on the thread that serves it or on a thread that waits for it.
#pragma once

#include "base/roster.hpp"
#include "base/workers.hpp"
#include "streams/work.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace pygpu::host {

// Streams that are captured: what is submitted to them becomes nodes of a graph (capture.hpp).
class Captures {
public:
    // Whether the stream captures. Throws Refused if its capture is invalid, or if a legacy stream would wait
    // for a capturing one.
    virtual bool captures(const Stream &stream) = 0;
    // Makes the work a node if the stream captures; else false. Throws by the same rules.
    virtual bool becomes_node(const Stream &stream, std::unique_ptr<Work> &work) = 0;
    // The stream is destroyed: a capture that started on it ends.
    virtual void leave(const Stream &stream) = 0;

protected:
    ~Captures() = default;
};

// Null while nothing is captured, so that calls outside of captures need no lock.
inline std::atomic<Captures *> captures_under_way{nullptr};
inline bool captures(const Stream &stream) {
    Captures *all = captures_under_way.load(std::memory_order_acquire);
    return all && all->captures(stream);
}

class Context;

enum class StreamKind { created, legacy, per_thread };

class Stream final : public Served, public std::enable_shared_from_this<Stream> {
public:
    Stream(StreamKind kind, int device, unsigned flags, int priority);

    const StreamKind kind;
    const int device;
    const unsigned flags; // 1: doesn't wait for the legacy stream
    std::atomic<int> priority;
    const unsigned long long id;
    unsigned long long context = 0;  // the number of the context that it was made in
    std::shared_ptr<Context> green;  // that context if it is a green one
    std::vector<std::uint32_t> mask; // HIP's, of the processors that run its kernels; empty: all

    bool blocking() const { return !(flags & 1); }

    // Queues work after everything that it has to wait for, and returns its point. While the stream captures,
    // the work becomes a node of the graph instead, and the point counts as reached. Throws, with nothing
    // queued, if there is no memory or no thread, or if a capture forbids it.
    Point submit(std::unique_ptr<Work> work);

    // Runs the body on the calling thread if no work comes before it. Returns false, with nothing done, if
    // some does, or if the stream captures. Throws if a capture forbids it.
    template <class Body> bool run_now(Body &&body) {
        if (!begin_now()) return false;
        body();
        end_now();
        return true;
    }

    // The point of all that was submitted so far, for others to wait for.
    Point here();

    bool reached(std::uint64_t number) const { return completed_.load(std::memory_order_acquire) >= number; }
    bool idle() const { return reached(submitted_.load(std::memory_order_acquire)); }
    // Waits until the work of that number is done. Meanwhile it runs queued work on this thread if it can.
    // `waiting` is the stream whose work waits; it may give up.
    void wait(std::uint64_t number, Stream *waiting = nullptr);
    void wait_all() { wait(submitted_.load(std::memory_order_acquire)); }

    // Keeps queued work from starting until resume() was called as often as pause().
    void pause();
    bool resume();
    bool paused() const { return paused_.load() > 0; }

    // The stream was destroyed: no more work comes, and queued work waits for no resume() any more.
    void close();

    // Its context goes: work that waits for what doesn't come gives up, and what is behind it never runs.
    // Once all is done, renew() makes the stream usable again.
    void end();
    void renew();
    // For waiting work: whether it has to give up. If so, the stream has given up.
    bool gives_up();
    bool has_given_up() const { return given_up_.load(std::memory_order_relaxed); }

    // For the thread that serves the stream: runs queued work until there is none.
    void work_on() override;

    // A vendor's attributes, as the bytes of its struct; false for one that was never set.
    using Attribute = std::array<char, 64>;
    bool attribute(int number, Attribute &value) const;
    void set_attribute(int number, const Attribute &value);
    void copy_attributes(const Stream &from); // and the priority

private:
    bool begin_now();
    void end_now();
    void run_front(std::unique_lock<std::mutex> &lock);
    std::vector<Point> order();

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::unique_ptr<Work>> queue_;
    std::atomic<std::uint64_t> submitted_{0};
    std::atomic<std::uint64_t> completed_{0};
    std::atomic<int> paused_{0}; // changes with the lock held
    std::atomic<bool> ending_{false}, given_up_{false};
    int waiting_ = 0; // threads in changed_.wait
    bool running_ = false;
    bool served_ = false; // by a thread, as long as work is queued
    std::map<int, Attribute> attributes_;

public:
    Roster<Stream>::Member member{*this}; // of its device
};

// The streams of one device, and what orders work among them.
class DeviceStreams {
public:
    explicit DeviceStreams(int device);

    Roster<Stream> all; // all that may have work, destroyed ones with unfinished work included
    const std::shared_ptr<Stream> legacy;

    // From now on all new work of the device waits for this point first.
    void bar(const Point &point);
    // The points given to bar() that aren't reached yet.
    std::vector<Point> barrier();

private:
    std::mutex mutex_;
    std::vector<Point> barrier_; // more than one where threads copy at once
    std::atomic<bool> barred_{false};
};

DeviceStreams &streams_of(int device);

// The current points of all streams of a device with unfinished work; of blocking streams only if
// `blocking_only`.
std::vector<Point> unfinished(int device, bool blocking_only, const Stream *except);

// The stream whose work this thread runs; null where it runs none.
Stream *running_stream();

// Waits for everything that was submitted to the device.
void synchronize(int device);

// Ends streams: all their work ends, or is given up.
void end_work(const std::vector<std::shared_ptr<Stream>> &streams);

} // namespace pygpu::host
