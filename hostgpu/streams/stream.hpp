// Streams: each runs its work in order, on the thread that serves it or on a thread that waits for it.
#pragma once

#include "memory/allocation.hpp"
#include "base/roster.hpp"

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

class Stream;

// A point in a stream's order: all work submitted up to `number`.
struct Point {
    std::shared_ptr<Stream> stream;
    std::uint64_t number = 0;

    bool reached() const;
    void wait() const;
};

// What a piece of work is as a node of a graph; CUDA and HIP (since release 6) number them alike.
enum class Task : int { kernel, copy, set, host, graph, empty, conditional = 13 };

// What a copy or a set works on: updates of executable graphs may not change all of it.
struct Operands {
    // Where one end lies.
    struct Place {
        enum class Type : char { pageable, host, device, managed, array } type = Type::pageable;
        int device = 0; // of memory that isn't pageable

        bool on_host() const { return type <= Type::host; }
    };
    Place to, from;        // `from` is a copy's
    int kind = 0;          // a copy's, as the caller gave it
    std::size_t width = 0; // in bytes
    std::size_t rows = 1;  // in all slices
    std::size_t pitch = 0; // of a set's rows
    unsigned element = 0;  // bytes of a set's element

    bool flat() const { return rows == 1; }
};

struct Plan;

// A piece of queued work. A graph runs the same piece at each launch, sometimes on two threads at once.
class Work {
public:
    virtual ~Work();
    virtual void run() = 0;

    std::uint64_t number = 0;
    std::vector<Point> after; // points of other streams that must be reached first
    std::vector<Memory> uses; // memory that the work uses: freeing it meanwhile is reported
    bool user = false;        // a user's function: only the thread that serves the stream runs it
    Task task = Task::empty;
    unsigned depth = 0; // how deeply graphs are nested in it
    Operands operands;
    std::shared_ptr<const Plan> plan; // of the graph that it runs

    void keep(Memory memory);
    void release();
};

// Runs a piece on this thread; does nothing once the process ends.
void run_piece(Work &work);

template <class Body> std::unique_ptr<Work> make_work(Body body, Task task = Task::empty) {
    struct Made final : Work {
        Body body;
        explicit Made(Body body) : body(std::move(body)) {}
        void run() override { body(); }
    };
    auto made = std::make_unique<Made>(std::move(body));
    made->task = task;
    return made;
}

class Stream : public std::enable_shared_from_this<Stream> {
public:
    enum class Kind { created, legacy, per_thread };

    Stream(Kind kind, int device, unsigned flags, int priority);

    const Kind kind;
    const int device;
    const unsigned flags; // 1: doesn't wait for the legacy stream
    std::atomic<int> priority;
    const unsigned long long id;
    unsigned long long context = 0; // the number of the context that it was made in

    bool blocking() const { return !(flags & 1); }

    // Queues work behind all that it has to wait for, and returns its point. While the stream captures, the
    // work becomes a node of the graph instead, and the point counts as reached. Throws, with nothing queued,
    // if there is no memory or no thread, or if a capture forbids it.
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
    void wait(std::uint64_t number);
    void wait_all() { wait(submitted_.load(std::memory_order_acquire)); }

    // Keeps queued work from starting until resume() was called as often as pause().
    void pause();
    bool resume();
    bool paused() const { return paused_.load() > 0; }

    // The stream was destroyed: no more work comes, and queued work waits for no resume() any more.
    void close();

    // For the thread that serves the stream: runs queued work until there is none.
    void work_on();

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
    int waiting_ = 0;            // threads in changed_.wait
    bool running_ = false;
    bool served_ = false; // by a thread, as long as work is queued
    std::map<int, Attribute> attributes_;

public:
    Roster<Stream>::Member member{*this}; // of its device
};

// The current points of all streams of a device with unfinished work; of blocking streams only if
// `blocking_only`.
std::vector<Point> unfinished(int device, bool blocking_only, const Stream *except);

} // namespace pygpu::host
