// What runs: a launch's blocks, their warps, and the groups of lanes that are at the same place.
//
// A warp runs one group of its lanes at a time. Of the groups that can continue it takes the one that is
// deepest in calls, then the one with the earliest instruction, so that groups meet where branches join. A
// group that stays in a loop for long lets others go first, so that lanes may wait for each other (PTX ISA,
// "Independent Thread Scheduling").
#pragma once

#include "ptx/machine/children.hpp"
#include "ptx/machine/memory.hpp"
#include "ptx/machine/observer.hpp"
#include "ptx/read/code.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

namespace pygpu::host::ptx {

class Block;
class Cluster;
class Loaded;
class Launch;

// What ends a launch; the numbers are CUDA's.
enum class Fault : int {
    none = 0,
    illegal_address = 700,
    launch_timeout = 702,
    assertion = 710,
    illegal_instruction = 715,
    misaligned_address = 716,
    launch_failure = 719,
};

// A card returns 700 then.
inline constexpr const char *no_stack =
    "calls are nested too deeply: the stack has no room (cudaLimitStackSize)";

// A function's registers for the lanes that have called it together.
struct alignas(64) Frame {
    Frame *parent;
    const Instr *call; // null of a kernel
    const Body *body;
    std::uint32_t live; // lanes that haven't returned
    std::uint32_t depth;
    std::size_t local_at, local_top; // in each lane's stack
    std::size_t gaps;                // bytes of it that only the checker needs

    std::size_t stack() const { return local_top - gaps; }

    char *registers() { return reinterpret_cast<char *>(this + 1); }
};

struct Group {
    enum State : std::uint8_t { ready, at_barrier, at_sync, asleep };
    std::uint32_t mask;
    const Instr *at;
    Frame *frame;
    std::uint32_t turns = 0; // how often it let others go first
    State state = ready;
    std::uint32_t barrier = 0;
    std::uint32_t wanted = 0;                      // by a .sync operation: the mask
    std::chrono::steady_clock::time_point until{}; // asleep
};

constexpr unsigned barrier_count = 17, cluster_barrier = barrier_count - 1;

class Warp {
public:
    enum class Turn { blocked, asleep, sliced, finished, failed };
    enum class Event { again, gone, blocked, sliced, failed };

    // Of the group that runs.
    std::uint32_t exec = 0; // lanes
    bool whole = false;     // all lanes of the frame run: what other lanes get doesn't matter
    char *registers = nullptr;
    Frame *frame = nullptr;
    Block *block = nullptr;
    const Instr *stop_at = nullptr; // where another group waits
    bool waits = false;             // it has run an instruction by which threads wait for each other
    bool polls = false;             // it polls an mbarrier whose phase isn't over
    std::uint32_t polled_at = 0;    // the value of `loops` at that time
    bool looks_outside = false;     // it waits for what other blocks may write
    std::uint32_t loops = 0;        // backward jumps, and calls
    std::uint32_t carry = 0;        // CC.CF of each lane
    std::uint32_t group = 0;        // its number

    std::uint32_t live = 0; // lanes that haven't exited
    std::uint32_t exists = 0;
    std::uint32_t number = 0; // in the block
    std::vector<Group> groups;
    // Lanes at barriers with a given number of threads; of the cluster's: those that have arrived.
    std::uint32_t arrived[barrier_count] = {};
    std::uint32_t passing = 0; // lanes that may pass the cluster's barrier, but don't wait at it yet

    template <class T> T *reg(std::uint32_t place) { return reinterpret_cast<T *>(registers + place); }
    std::uint32_t &pred(std::uint32_t place) { return *reg<std::uint32_t>(place); }

    Turn run();

    // Ways out of a handler.
    const Instr *leave(Event event, const Instr *at) {
        event_ = event;
        groups[group].at = at;
        return nullptr;
    }
    const Instr *block_at(std::uint32_t barrier, const Instr *at) {
        groups[group].state = Group::at_barrier;
        groups[group].barrier = barrier;
        return leave(Event::blocked, at);
    }
    const Instr *sleep(std::chrono::nanoseconds time, const Instr *then) {
        groups[group].state = Group::asleep;
        groups[group].until = std::chrono::steady_clock::now() + time;
        sleeps_ = true;
        return leave(Event::sliced, then);
    }
    const Instr *fail(Fault fault, const Instr *at, const std::string &what, unsigned lane = 32);

    // How many backward jumps and calls it may make before others have a turn.
    std::uint32_t most_loops() const { return waits ? 32 : 20000; }
    // Whether it only polls mbarriers: libraries jump back a few times between two polls.
    bool only_polls() const { return polls && !looks_outside && loops - polled_at <= 4; }
    // Notes an access by which threads may wait for each other.
    void wait_by(bool outside) {
        waits = true;
        looks_outside |= outside;
    }
    // Goes on at `to`, which may be a backward jump.
    const Instr *jump(const Instr *from, const Instr *to) {
        if (to <= from) {
            if (++loops >= most_loops()) return leave(Event::sliced, to);
        }
        return stop_at && to >= stop_at ? leave(Event::again, to) : to;
    }
    const Instr *split(std::uint32_t taken, const Instr *to, const Instr *otherwise);
    void enter(Frame *to) {
        frame = to;
        registers = to->registers();
        whole = exec == to->live;
    }
    bool alone() const { return groups.size() == 1; }
    void exit_lanes();
    void recheck(); // after lanes have exited
    // Whether the lanes of a .sync operation's mask are there. here: all in this group; apart: in groups of
    // several frames; missing: not yet, and the group waits.
    enum class Gathered { here, apart, missing };
    Gathered gather(const Instr *at, std::uint32_t wanted);
    // All groups that wait at a place for the same lanes, and the running one.
    template <class Visit> void each_gathered(const Instr *at, std::uint32_t wanted, Visit visit) {
        for (std::uint32_t index = 0; index < groups.size(); ++index) {
            Group &one = groups[index];
            if (index == group || (one.state == Group::at_sync && one.wanted == wanted && one.at == at))
                visit(one);
        }
    }
    // Splits these lanes off the group: they wait for the lanes of `wanted`, and the others try again.
    const Instr *part(const Instr *at, std::uint32_t lanes, std::uint32_t wanted);

private:
    bool pick();
    bool wake_sleepers(); // false while all that could run sleep
    void wake(const Instr *at, std::uint32_t wanted);

    Event event_ = Event::again;
    bool just_waits_ = false, sleeps_ = false;
    friend class Block;
};

struct Barrier {
    std::uint32_t arrived = 0, expected = 0; // threads; 0: all that live
    bool all = true, any = false;
    std::uint32_t count = 0;
};

// What a thread of the host has while it runs blocks.
struct Worker {
    explicit Worker(Launch &launch);
    Launch &launch;
    MemoryCache memory;
    static constexpr std::uint32_t hint_count = 1024;
    AddressRange hints[hint_count]; // by memory instruction: the range that it accessed last
    // Textures and surfaces that this thread has used. They stay as they are until the launch ends.
    std::map<std::pair<std::uint64_t, bool>, std::shared_ptr<const Texture>> textures;

    // For the checker, by memory instruction: which bytes of the piece that it accessed last were written.
    std::unique_ptr<WriteFlags[]> written;

    // Drops memory that was freed. Only between instructions, since an instruction may hold addresses of it.
    void forget_freed();
    // For the checker: the same of memory that a kernel's free() has released since the last time.
    void forget_released();

private:
    void forget_hints();
    std::uint64_t released_ = 0;
};

// What the warps of a block, or of all blocks of a cluster, did in one turn each.
struct Progress {
    bool failed = false, runs = false, sliced = false, slept = false;
    bool only_polled = true, waited = false, sleeps = false, ran = false;
};

class Block {
public:
    Block(Launch &launch, Cluster &cluster, std::uint32_t rank);
    ~Block();
    Block(const Block &) = delete;
    Block &operator=(const Block &) = delete;

    void start(Worker &worker, const std::uint32_t at[3]);
    void run(Worker &worker, Progress &round); // each warp once

    Launch &launch;
    Cluster &cluster;
    const std::uint32_t rank; // in the cluster
    Worker *worker = nullptr;
    std::uint32_t at[3] = {};
    std::uint32_t threads;
    std::uint32_t living = 0; // threads that haven't exited
    char *shared = nullptr;
    std::size_t shared_size; // of the window: the module's largest kernel fits
    std::size_t shared_used; // of it, by this kernel
    char *local = nullptr;   // each thread's stack, one after another
    std::size_t local_size;
    std::vector<Warp> warps;
    Barrier barriers[barrier_count];
    std::unique_ptr<Observer> observer; // where the launch has any

    Frame *make_frame(const Body &body, Frame *parent, const Instr *call, std::uint32_t mask);
    void free_frame(Frame *frame);
    bool need_local();     // false where there is no memory for stacks
    void check_barriers(); // after threads have exited
    void arrive(unsigned number, Warp &warp, std::uint32_t expected); // the lanes that run
    void count_missing(unsigned number, Warp &warp); // the warp's other lanes, once its last group is there
    void release(unsigned number);
    void pass(Warp &warp, std::uint32_t lanes); // the cluster's barrier
    bool has_ready() const;                     // a group that could run
    void add_state(std::size_t &sum) const;

    // For messages: "block (0, 0, 0)", "(1, 0, 0)" and "block (0, 0, 0), thread (1, 0, 0)".
    std::string place() const;
    std::string index_of(std::uint32_t thread) const;
    std::string place_of(std::uint32_t thread) const;

private:
    std::vector<std::vector<Frame *>> free_; // by body
    std::vector<void *> frames_;
    std::size_t frame_bytes_ = 0;
    std::unique_ptr<char[]> shared_room_;
    void *local_room_ = nullptr;
};

// Blocks that run together, on one thread of the host, and reach each other's shared memory; usually one.
class Cluster {
public:
    enum class Turn { yielded, finished, failed };

    explicit Cluster(Launch &launch);
    void start(Worker &worker, std::uint64_t number);
    Turn run(Worker &worker);

    Launch &launch;
    std::vector<std::unique_ptr<Block>> blocks; // by rank
    std::uint32_t arrived = 0;                  // threads at the cluster's barrier
    // In the last turn: something waited for other threads; threads slept at its end; others ran.
    bool waited = false, sleeps = false, ran = false;

    void phase_completed() { advanced_ = true; } // of an mbarrier
    // The block whose shared memory has these bytes at the host; null where there is none.
    Block *owner(std::uint64_t address, std::size_t size) const {
        for (const auto &one : blocks) {
            const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(one->shared);
            if (offset < one->shared_size && one->shared_size - offset >= size) return one.get();
        }
        return nullptr;
    }

private:
    Turn deadlock(const char *why); // ends the launch
    // True once all threads only poll mbarriers, and no phase can end any more.
    bool waits_for_ever(bool only_polled, bool slept);
    std::size_t state() const;
    bool advanced_ = false; // a phase of an mbarrier has ended in this round
    std::chrono::nanoseconds polling_since_{};
    unsigned polled_ = 0;   // rounds
    unsigned compared_ = 0; // states compared with compared_with_ so far
    unsigned most_compared_ = 0;
    std::size_t compared_with_ = 0;
};

// A kernel with its grid. Everything here is the same for all threads that run it.
struct LaunchSetup {
    std::shared_ptr<Loaded> loaded;
    const Body *body = nullptr;
    std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
    std::uint32_t cluster[3] = {1, 1, 1}; // blocks; the grid is a multiple of it
    bool explicit_cluster = false;        // the launch or the kernel says so
    std::size_t dynamic_shared = 0;
    std::size_t stack = 0;      // bytes that each thread may use of its stack
    std::size_t local_size = 0; // that there are
    bool cooperative = false;
    std::uint32_t cores = 1;           // how many threads of the machine may run blocks
    std::uint32_t multiprocessors = 1; // of the card that the device stands for
    std::vector<char> parameters;
    Memories *memories = nullptr;
    std::vector<std::uint64_t> workspace; // of grid.sync
    const std::atomic<bool> *ending = nullptr;
    bool origins = false; // whether memory of malloc() knows where it came from
};

// One run of a kernel.
class Launch : public LaunchSetup {
public:
    const std::uint64_t number = next_number(); // %gridid
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    std::function<bool()> interrupted; // asked now and then
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> released{0}; // how often a kernel has freed memory
    std::mutex mutex;
    Fault fault = Fault::none;
    std::string why;
    Children children;                                         // what its threads queue
    std::string output;                                        // of printf
    std::function<std::unique_ptr<Observer>(Block &)> observe; // makes the observer of each block

    Launch() = default;
    explicit Launch(LaunchSetup setup) : LaunchSetup(std::move(setup)) {}
    Launch(const Launch &) = delete;
    Launch &operator=(const Launch &) = delete;

    // Runs all blocks, on several threads where that pays.
    void run();
    void fail(Fault with, const std::string &what);
    void print(const std::string &text);
    bool ends_early(); // at the program's exit, by an interrupt, or because it has run for too long
    std::uint64_t blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
    std::uint32_t blocks_in_cluster() const { return cluster[0] * cluster[1] * cluster[2]; }
    std::uint64_t clusters() const { return blocks() / blocks_in_cluster(); }

private:
    static std::uint64_t next_number();
    void work();
    std::atomic<std::uint64_t> next_{0};
    std::function<void()> spread; // starts other threads, once that pays
};

} // namespace pygpu::host::ptx
