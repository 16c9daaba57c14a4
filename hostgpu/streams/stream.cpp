// Queues, and what runs them.
#include "streams/stream.hpp"

#include "streams/capture.hpp"
#include "device/device.hpp"
#include "base/guard.hpp"
#include "streams/interrupt.hpp"
#include "base/process.hpp"
#include "base/thread.hpp"
#include "base/workers.hpp"

#include <chrono>
#include <thread>

namespace pygpu::host {
namespace {

std::atomic<unsigned long long> last_stream{2}; // 1 and 2 are the default streams'

unsigned long long new_id(Stream::Kind kind) {
    if (kind == Stream::Kind::legacy) return 1;
    return ++last_stream;
}

// At exit queued work is never run: the thread that would run it stops here for good.
void park_when_ending() {
    while (process.unusable.load(std::memory_order_acquire))
        std::this_thread::sleep_for(std::chrono::hours(1));
}

} // namespace

bool Point::reached() const { return !stream || stream->reached(number); }

void Point::wait() const {
    if (stream) stream->wait(number);
}

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

Stream::Stream(Kind kind, int device, unsigned flags, int priority)
    : kind(kind), device(device), flags(flags), priority(priority), id(new_id(kind)) {}

std::vector<Point> Stream::order() {
    Device &owner = host::device(device);
    std::vector<Point> points = owner.barrier();
    if (kind == Kind::legacy) {
        std::vector<Point> others = unfinished(device, true, this);
        points.insert(points.end(), std::make_move_iterator(others.begin()),
                      std::make_move_iterator(others.end()));
    } else if (blocking() && !owner.legacy->idle()) {
        points.push_back(owner.legacy->here());
    }
    return points;
}

Point Stream::submit(std::unique_ptr<Work> work) {
    if (becomes_node(*this, work)) return {};
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
    for (const Point &point : work->after) point.wait();
    run_piece(*work);
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

void Stream::wait(std::uint64_t number) {
    thread().waited = true;
    if (reached(number)) return;
    std::unique_lock lock(mutex_);
    while (!reached(number)) {
        if (!queue_.empty() && !running_ && !paused_ && !queue_.front()->user) {
            run_front(lock);
        } else {
            ++waiting_;
            const bool asks = can_be_interrupted();
            asks ? void(changed_.wait_for(lock, std::chrono::milliseconds(50))) : changed_.wait(lock);
            --waiting_;
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
    leave_capture(*this);
    std::lock_guard lock(mutex_);
    paused_ = 0;
    changed_.notify_all();
}

bool Stream::attribute(int number, Attribute &value) const {
    std::lock_guard lock(mutex_);
    const auto found = attributes_.find(number);
    if (found == attributes_.end()) return false;
    value = found->second;
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

std::vector<Point> unfinished(int number, bool blocking_only, const Stream *except) {
    std::vector<Point> points;
    const auto busy = device(number).streams.those([&](const Stream &one) {
        return &one != except && (!blocking_only || one.blocking()) && !one.idle();
    });
    points.reserve(busy.size());
    for (const std::shared_ptr<Stream> &stream : busy) points.push_back(stream->here());
    return points;
}

} // namespace pygpu::host
