// Work that a stream runs in its order, and points in that order.
#pragma once

#include "memory/allocation.hpp"

#include <cstdint>
#include <memory>
#include <string>
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

// What a piece of work is as a node of a graph; CUDA and HIP (since release 6) number them alike,
// but for batches.
enum class Task : int {
    kernel,
    copy,
    set,
    host,
    graph,
    empty,
    wait,
    record,
    allocation = 10,
    release,
    batch,
    conditional,
};

// What a copy or a set works on: updates of executable graphs may not change all of it.
struct Operands {
    // Where one end lies.
    struct Endpoint {
        enum class Type : char { pageable, host, device, managed, array } type = Type::pageable;
        int device = 0; // of memory that isn't pageable

        bool on_host() const { return type <= Type::host; }
    };
    Endpoint to, from;     // `from` is a copy's
    int kind = 0;          // a copy's, as the caller gave it
    std::size_t width = 0; // in bytes
    std::size_t rows = 1;  // in all slices
    std::size_t pitch = 0; // of a set's rows
    unsigned element = 0;  // bytes of a set's element
    std::string batch{};   // the types of a batch's operations on memory

    bool flat() const { return rows == 1; }
};

struct Plan;
struct NodeParameters;

// A piece of queued work. A graph runs the same piece at each launch, sometimes on two threads at once.
class Work {
public:
    virtual ~Work();
    virtual void run() = 0;

    std::uint64_t number = 0;
    std::vector<Point> after; // points of other streams that must be reached first
    std::vector<Memory> uses; // memory that the work uses: freeing it meanwhile is reported
    bool user = false;        // a user's function: only the thread that serves the stream runs it
    bool marks = false;       // others wait for what it marks: it also runs where the stream has given up
    Task task = Task::empty;
    unsigned depth = 0; // how deeply graphs are nested in it
    Operands operands;
    std::shared_ptr<const Plan> plan;                 // of the graph that it runs
    std::shared_ptr<const NodeParameters> parameters; // of a captured piece

    void keep(Memory memory);
    void release();
};

// Runs a piece on this thread; does nothing once the process ends.
void run_piece(Work &work);

template <class Body> std::unique_ptr<Work> make_work(Body body, Task task = Task::empty) {
    struct Closure final : Work {
        Body body;
        explicit Closure(Body body) : body(std::move(body)) {}
        void run() override { body(); }
    };
    auto work = std::make_unique<Closure>(std::move(body));
    work->task = task;
    return work;
}

// For a thread that may run no more work, because the process ends: it stops there for good.
void park_when_ending();

} // namespace pygpu::host
