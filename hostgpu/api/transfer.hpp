// What all copies and sets share: checking their ends, and running them on a stream.
#pragma once

#include "base/caught.hpp"
#include "base/status.hpp"
#include "base/types.hpp"
#include "device/device.hpp"
#include "memory/allocation.hpp"
#include "memory/copy.hpp"
#include "streams/stream.hpp"

#include <optional>
#include <set>
#include <vector>

namespace pygpu::host {

// One end of a copy.
struct End {
    StridedBlock block;
    std::size_t span;           // bytes from first to last
    Memory memory;              // null for pageable host memory
    std::vector<Memory> more{}; // mappings behind it that the block reaches, too
};

// When the call returns: once the copy is queued, or once host memory may be used again.
enum class Return { queued, after_host };

// Finds the memory of an end and checks that the block lies within it, and may be read or written.
Status find_end(const StridedBlock &block, const Size &size, bool writes, End &end);

// Whether a device may touch memory itself (copies between devices need no access), or write to it.
bool reaches(int number, const Allocation &memory, bool writes = false);

// Whether a copy of that kind may go between the ends.
Status check_kind(const End &to, const End &from, int kind);

// Moves a block on a stream. `said` is the kind that the caller gave, if another one counts.
Status transfer(const std::shared_ptr<Stream> &stream, const StridedBlock &to, const StridedBlock &from,
                const Size &size, int kind, Return when, std::optional<int> said = {});

// The order of copies between devices that name no stream: what the body queues on the stream waits for all
// work of both devices, and all their later work waits for it.
template <class Body>
Status in_line_with(const std::shared_ptr<Stream> &stream, int one, int other, Body body) {
    const std::set<int> devices{stream->device, one, other};
    std::unique_ptr<Work> join = make_work([] {});
    for (const int number : devices) {
        for (Point &point : unfinished(number, false, stream.get())) join->after.push_back(std::move(point));
        for (Point &point : streams_of(number).barrier()) join->after.push_back(std::move(point));
    }
    if (!join->after.empty()) stream->submit(std::move(join));
    const Status status = body();
    if (stream->idle()) return status;
    const Status barred = caught([&] {
        for (const int number : devices) streams_of(number).bar(stream->here());
        return Status::success;
    });
    // If there is no memory to bar the devices, the copy is waited for.
    if (barred != Status::success) stream->wait_all();
    return status;
}

// Sets a block on a stream.
Status set(const std::shared_ptr<Stream> &stream, const StridedBlock &to, const Size &size, unsigned value,
           unsigned element, Return when);

// A flat piece of memory as a block.
inline StridedBlock flat(const void *base) { return {static_cast<char *>(const_cast<void *>(base)), 0, 0}; }

} // namespace pygpu::host
