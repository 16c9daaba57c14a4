// Queues, and what runs them.
#include "streams/stream.hpp"

#include "base/activity.hpp"
#include "base/interrupt.hpp"
#include "base/process.hpp"
#include "base/settings.hpp"
#include "base/thread.hpp"

#include <chrono>
#include <iterator>
#include <utility>

namespace pygpu::host {
namespace {

std::atomic<unsigned long long> last_stream{2}; // 1 and 2 are the default streams'

unsigned long long new_id(StreamKind kind) {
    if (kind == StreamKind::legacy) return 1;
    return ++last_stream;
}

Load load_of(const Work &work) {
    switch (work.task) {
    case Task::kernel:
    case Task::graph:
    case Task::conditional:
        return Load::kernel;
    case Task::copy:
    case Task::set:
        return Load::transfer;
    default:
        return Load::none;
    }
}

thread_local Stream *run_by_thread = nullptr;

// This thread runs a stream's work; while that waits, it may run another one's.
class Running {
public:
    explicit Running(Stream &stream) : before_(std::exchange(run_by_thread, &stream)) {}
    ~Running() { run_by_thread = before_; }
    Running(const Running &) = delete;
    Running &operator=(const Running &) = delete;

private:
    Stream *const before_;
};

} // namespace

Stream *running_stream() { return run_by_thread; }

bool Point::reached() const { return !stream || stream->reached(number); }

void Point::wait() const {
    if (stream) stream->wait(number);
}

Stream::Stream(StreamKind kind, int device, unsigned flags, int priority)
    : kind(kind), device(device), flags(flags), priority(priority), id(new_id(kind)) {}

std::vector<Point> Stream::order() {
    DeviceStreams &on = streams_of(device);
    std::vector<Point> points = on.barrier();
    if (kind == StreamKind::legacy) {
        std::vector<Point> others = unfinished(device, true, this);
        points.insert(points.end(), std::make_move_iterator(others.begin()),
                      std::make_move_iterator(others.end()));
    } else if (blocking() && !on.legacy->idle()) {
        points.push_back(on.legacy->here());
    }
    return points;
}

Point Stream::submit(std::unique_ptr<Work> work) {
    if (Captures *all = captures_under_way.load(std::memory_order_acquire);
        all && all->becomes_node(*this, work))
        return {};
    std::vector<Point> before = order();
    work->after.insert(work->after.end(), std::make_move_iterator(before.begin()),
                       std::make_move_iterator(before.end()));
    std::lock_guard lock(mutex_);
    const std::uint64_t number = submitted_.load(std::memory_order_relaxed) + 1;
    work->number = number;
    // The thread first: without one nothing may be queued.
    if (!served_) serve(shared_from_this());
    served_ = true;
    queue_.push_back(std::move(work));
    submitted_.store(number, std::memory_order_release);
    if (waiting_) changed_.notify_all();
    return {shared_from_this(), number};
}

Point Stream::here() { return {shared_from_this(), submitted_.load(std::memory_order_acquire)}; }

bool Stream::begin_now() {
    if (captures(*this) || !order().empty()) return false;
    std::lock_guard lock(mutex_);
    if (running_ || paused_ || !queue_.empty()) return false;
    running_ = true;
    submitted_.fetch_add(1, std::memory_order_acq_rel);
    return true;
}

void Stream::end_now() {
    std::lock_guard lock(mutex_);
    running_ = false;
    completed_.fetch_add(1, std::memory_order_acq_rel);
    if (waiting_) changed_.notify_all();
}

// Runs the oldest piece of work. The lock is released meanwhile.
void Stream::run_front(std::unique_lock<std::mutex> &lock) {
    std::unique_ptr<Work> work = std::move(queue_.front());
    queue_.pop_front();
    running_ = true;
    lock.unlock();
    const Running running(*this);
    for (const Point &point : work->after) {
        if (!point.stream) continue;
        point.stream->wait(point.number, this);
        if (ending_ && point.stream->has_given_up()) given_up_ = true;
    }
    if (!has_given_up() || work->marks) {
        const Busy busy(device, load_of(*work));
        run_piece(*work);
    }
    const std::uint64_t number = work->number;
    work.reset();
    lock.lock();
    running_ = false;
    completed_.store(number, std::memory_order_release);
    if (waiting_) changed_.notify_all();
}

void Stream::work_on() {
    std::unique_lock lock(mutex_);
    while (!queue_.empty()) {
        if (process.unusable.load()) {
            lock.unlock();
            park_when_ending();
        }
        if (!running_ && !paused_) {
            run_front(lock);
        } else {
            ++waiting_;
            changed_.wait(lock);
            --waiting_;
        }
    }
    served_ = false;
}

void Stream::wait(std::uint64_t number, Stream *waiting) {
    thread().asks_whether_done = true;
    if (reached(number)) return;
    std::unique_lock lock(mutex_);
    while (!reached(number)) {
        if (!queue_.empty() && !running_ && !paused_ && !queue_.front()->user) {
            run_front(lock);
        } else {
            ++waiting_;
            const bool asks = can_be_interrupted();
            asks || waiting ? void(changed_.wait_for(lock, std::chrono::milliseconds(50)))
                            : changed_.wait(lock);
            --waiting_;
            // What ends itself is waited for.
            if (waiting && !ending_ && !reached(number) && waiting->gives_up()) return;
            if (!asks) continue;
            lock.unlock();
            ask_for_interrupt(device);
            lock.lock();
        }
    }
}

void Stream::pause() {
    std::lock_guard lock(mutex_);
    ++paused_;
}

bool Stream::resume() {
    std::lock_guard lock(mutex_);
    if (!paused_) return false;
    if (!--paused_) changed_.notify_all();
    return true;
}

void Stream::close() {
    if (Captures *all = captures_under_way.load(std::memory_order_acquire)) all->leave(*this);
    std::lock_guard lock(mutex_);
    paused_ = 0;
    changed_.notify_all();
}

void Stream::end() {
    std::lock_guard lock(mutex_);
    ending_ = true;
    paused_ = 0;
    changed_.notify_all();
}

void Stream::renew() { ending_ = given_up_ = false; }

bool Stream::gives_up() {
    if (!ending_) return false;
    given_up_ = true;
    return true;
}

bool Stream::attribute(int number, Attribute &value) const {
    std::lock_guard lock(mutex_);
    const auto entry = attributes_.find(number);
    if (entry == attributes_.end()) return false;
    value = entry->second;
    return true;
}

void Stream::set_attribute(int number, const Attribute &value) {
    std::lock_guard lock(mutex_);
    attributes_[number] = value;
}

void Stream::copy_attributes(const Stream &from) {
    priority = from.priority.load();
    std::map<int, Attribute> copied;
    {
        std::lock_guard lock(from.mutex_);
        copied = from.attributes_;
    }
    std::lock_guard lock(mutex_);
    for (const auto &[number, value] : copied) attributes_[number] = value;
}

DeviceStreams::DeviceStreams(int device)
    : legacy(std::make_shared<Stream>(StreamKind::legacy, device, 0, 0)) {
    legacy->member.enter(all);
}

void DeviceStreams::bar(const Point &point) {
    std::lock_guard lock(mutex_);
    std::erase_if(barrier_, [](const Point &one) { return one.reached(); });
    barrier_.push_back(point);
    barred_.store(true, std::memory_order_release);
}

std::vector<Point> DeviceStreams::barrier() {
    if (!barred_.load(std::memory_order_acquire)) return {};
    std::lock_guard lock(mutex_);
    std::erase_if(barrier_, [](const Point &one) { return one.reached(); });
    if (barrier_.empty()) barred_.store(false, std::memory_order_release);
    return barrier_;
}

DeviceStreams &streams_of(int device) {
    static auto *all = [] { // never destroyed: threads outlive main
        auto *devices = new std::vector<std::unique_ptr<DeviceStreams>>;
        for (int number = 0; number < settings().devices; ++number)
            devices->push_back(std::make_unique<DeviceStreams>(number));
        return devices;
    }();
    return *(*all)[static_cast<std::size_t>(device)];
}

std::vector<Point> unfinished(int number, bool blocking_only, const Stream *except) {
    std::vector<Point> points;
    const auto busy = streams_of(number).all.those([&](const Stream &one) {
        return &one != except && (!blocking_only || one.blocking()) && !one.idle();
    });
    points.reserve(busy.size());
    for (const std::shared_ptr<Stream> &stream : busy) points.push_back(stream->here());
    return points;
}

void synchronize(int device) {
    thread().asks_whether_done = true; // also where all work has ended just before
    // The device's work may have to wait for a copy on another device's stream.
    for (const Point &point : streams_of(device).barrier()) point.wait();
    for (const Point &point : unfinished(device, false, nullptr)) point.wait();
}

void end_work(const std::vector<std::shared_ptr<Stream>> &streams) {
    for (const auto &stream : streams) stream->end();
    for (const auto &stream : streams) stream->wait_all();
    for (const auto &stream : streams) stream->renew();
}

} // namespace pygpu::host
