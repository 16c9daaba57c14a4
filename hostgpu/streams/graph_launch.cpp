// Preparing and queueing launches of graphs.
#include "streams/graph_launch.hpp"

#include "memory/graph_memory.hpp"
#include "streams/capture.hpp"
#include "streams/event.hpp"
#include "streams/stream.hpp"

#include <map>
#include <utility>

namespace pygpu::host {

namespace {

thread_local Prepared *launched = nullptr; // by the launch that this thread runs

template <class Used> const Used &used_by(const Plan::Step &step) {
    return std::get<Used>(step.work->parameters->is);
}

// What a launch takes and frees of graphs' memory, in the order of the nodes. It is undone unless it is
// whole.
struct Takings {
    std::vector<std::shared_ptr<GraphMemory>> taken{}, again{}, freed{};
    bool whole = false;

    ~Takings() {
        if (whole) return;
        for (const auto &one : freed) one->undo_free();
        for (const auto &one : again) one->release();
        for (const auto &one : taken) {
            one->free();
            one->release();
        }
    }
};

Status take_memory(const Plan &plan, bool again, Takings &takings, std::map<const void *, bool> &were_taken) {
    for (const Plan::Step &step : plan.steps) {
        const Task task = step.work->task;
        Status status = Status::success;
        if (task == Task::allocation) {
            const auto &memory = used_by<MemoryUse>(step).memory;
            bool was_taken = false;
            for (auto *list : {&takings.taken, &takings.again}) list->reserve(list->size() + 1);
            status = memory->take(again, was_taken);
            if (status == Status::success && was_taken) {
                takings.again.push_back(memory);
                were_taken[memory.get()] = true;
            }
            if (status == Status::success && !was_taken) takings.taken.push_back(memory);
        } else if (task == Task::release) {
            const auto &memory = used_by<MemoryUse>(step).memory;
            takings.freed.reserve(takings.freed.size() + 1);
            if (memory->free())
                takings.freed.push_back(memory);
            else
                status = Status::invalid_value;
        } else if (step.work->plan) {
            status = take_memory(*step.work->plan, again, takings, were_taken);
        }
        if (status != Status::success) return status;
    }
    return Status::success;
}

void prepare(const Plan &plan, const std::map<const void *, bool> &were_taken, Prepared &prepared) {
    for (const Plan::Step &step : plan.steps) {
        const Task task = step.work->task;
        if (step.work->plan) prepare(*step.work->plan, were_taken, prepared);
        if (task == Task::record) {
            prepared.recordings.reserve(prepared.recordings.size() + 1);
            prepared.acts.reserve(prepared.acts.size() + 1);
            prepared.recordings.push_back(used_by<EventUse>(step).event->record_in_graph());
            prepared.acts.push_back(prepared.recordings.back());
        }
        if (task == Task::wait) prepared.acts.push_back(used_by<EventUse>(step).event->wait_in_graph());
        if (task != Task::allocation && task != Task::release) continue;
        const auto &memory = used_by<MemoryUse>(step).memory;
        if (task == Task::release || were_taken.count(memory.get()))
            prepared.acts.push_back([memory] { memory->release(); });
        else
            prepared.acts.push_back([] {});
    }
}

// Work that runs a launch of a plan whose nodes must be prepared.
Status prepared_work_of(const std::shared_ptr<const Plan> &plan, bool again, Takings &takings,
                        std::unique_ptr<Work> &work) {
    std::map<const void *, bool> were_taken;
    const Status status = take_memory(*plan, again, takings, were_taken);
    if (status != Status::success) return status;
    const auto prepared = std::make_shared<Prepared>();
    prepare(*plan, were_taken, *prepared);
    auto running = make_work(
        [plan, prepared] {
            launched = prepared.get();
            plan->run();
            launched = nullptr;
        },
        Task::graph);
    running->user = work->user;
    running->uses.swap(work->uses);
    work = std::move(running);
    return Status::success;
}

} // namespace

std::unique_ptr<Work> make_prepared(Task task, std::shared_ptr<const NodeParameters> parameters) {
    auto work = make_work([] { launched->acts[launched->next++](); }, task);
    work->parameters = std::move(parameters);
    return work;
}

Status launch(Executable &executable, Stream &stream) {
    std::shared_ptr<const Plan> plan;
    {
        std::lock_guard lock(executable.mutex);
        plan = executable.plan;
    }
    if (plan->conditional || plan->memory) refuse_captured(stream); // it can't become a child graph
    std::unique_ptr<Work> work = work_of(plan);                     // it may report, so the lock isn't held
    if (!work) return Status::invalid_value;
    Takings takings;
    std::lock_guard lock(executable.mutex); // launches are prepared in the order in which they are queued
    if (plan->prepared && !captures(stream)) {
        const bool again = executable.flags & auto_free_on_launch;
        if (const Status status = prepared_work_of(plan, again, takings, work); status != Status::success)
            return status;
    }
    if (!executable.last.reached()) work->after.push_back(executable.last);
    Point point = stream.submit(std::move(work));
    takings.whole = true;
    if (point.stream) executable.last = std::move(point); // else it is a node of another graph
    return Status::success;
}

} // namespace pygpu::host
