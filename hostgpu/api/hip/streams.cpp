// HIP's own checks of streams: hipamd/src/hip_stream.cpp and hip_hmm.cpp of ROCm/clr, as of ROCm 6.
#include "api/find.hpp"
#include "api/hip/implemented.hpp"
#include "api/memory_operations.hpp"
#include "base/thread.hpp"
#include "device/facts.hpp"
#include "streams/capture.hpp"
#include "streams/stream.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pygpu::host::hip {

// hipStreamWaitEvent_common()
Status StreamWaitEvent(StreamTag *stream, EventTag *event, unsigned flags) {
    if (!event || !find_stream(stream)) return Status::invalid_resource_handle;
    return flags ? Status::invalid_value : api::StreamWaitEvent(stream, event, 0);
}

namespace {

// Stream::StreamCaptureOngoing(): during captures that forbid it no other stream may be waited for.
Status check_outside_captures(StreamTag *stream) {
    const auto object = find_stream(stream);
    if (!object) return gone_stream(stream);
    if (object->kind != StreamKind::legacy && !captures(*object)) refuse_unsafe();
    return Status::success;
}

} // namespace

Status StreamQuery(StreamTag *stream) {
    const Status status = check_outside_captures(stream);
    return status == Status::success ? api::StreamQuery(stream) : status;
}

Status StreamSynchronize(StreamTag *stream) {
    const Status status = check_outside_captures(stream);
    return status == Status::success ? api::StreamSynchronize(stream) : status;
}

// hipStreamGetFlags_common(): the default stream's flags can't be asked for.
Status StreamGetFlags(StreamTag *stream, unsigned *flags) {
    const bool named = stream || thread().per_thread;
    return flags && named ? api::StreamGetFlags(stream, flags) : Status::invalid_value;
}

// hipStreamGetPriority_common()
Status StreamGetPriority(StreamTag *stream, int *priority) {
    return priority ? api::StreamGetPriority(stream, priority) : Status::invalid_value;
}

Status StreamGetDevice(StreamTag *stream, int *device) {
    return device ? api::StreamGetDevice(stream, device) : Status::invalid_value;
}

// hipLaunchHostFunc_common(): the function is checked first.
Status LaunchHostFunc(StreamTag *stream, void (*function)(void *), void *data) {
    return function ? api::LaunchHostFunc(stream, function, data) : Status::invalid_value;
}

// hipStreamAttachMemAsync() of hip_hmm.cpp: any part of device memory or of registered memory will do.
Status StreamAttachMemAsync(StreamTag *stream, void *pointer, std::size_t length, unsigned flags) {
    constexpr unsigned single = 4;
    if (!pointer || (flags != 1 && flags != 2 && (flags != single || !stream))) return Status::invalid_value;
    if (!find_stream(stream)) return gone_stream(stream);
    const Memory memory = memory_at(pointer);
    if (!memory) return Status::invalid_value;
    const bool device = memory->kind == MemoryKind::device || memory->kind == MemoryKind::registered;
    return device || !length || length == memory->size ? Status::success : Status::invalid_value;
}

// hip_graph.cpp
Status ThreadExchangeStreamCaptureMode(int *mode) {
    constexpr int global = 0, relaxed = 2;
    if (!mode || *mode < global || *mode > relaxed) return Status::invalid_value;
    return api::ThreadExchangeStreamCaptureMode(mode);
}

namespace {

// ihipStreamOperation() of hip_stream_ops.cpp: the address is checked first, and a write's flags aren't
// looked at.
Status wait_for_value(StreamTag *stream, MemoryOperation::Type type, void *address, std::uint64_t value,
                      unsigned flags, std::uint64_t mask) {
    if (!address) return Status::invalid_value;
    if (!find_stream(stream)) return gone_stream(stream);
    if (flags > MemoryOperation::compare_bits) return Status::invalid_value;
    return submit_operation(stream, type, address, value, flags, {false, mask});
}

// The processors of a device as a mask of 32-bit words.
std::vector<std::uint32_t> all_processors() {
    const auto count = static_cast<std::size_t>(facts().cores);
    std::vector<std::uint32_t> mask((count + 31) / 32, ~std::uint32_t{0});
    if (count % 32) mask.back() = (std::uint32_t{1} << count % 32) - 1;
    return mask;
}

} // namespace

Status StreamWaitValue32(StreamTag *stream, void *address, std::uint32_t value, unsigned flags,
                         std::uint32_t mask) {
    return wait_for_value(stream, MemoryOperation::wait_32, address, value, flags, mask);
}

Status StreamWaitValue64(StreamTag *stream, void *address, std::uint64_t value, unsigned flags,
                         std::uint64_t mask) {
    return wait_for_value(stream, MemoryOperation::wait_64, address, value, flags, mask);
}

Status StreamWriteValue32(StreamTag *stream, void *address, std::uint32_t value, unsigned) {
    if (!address) return Status::invalid_value;
    return submit_operation(stream, MemoryOperation::write_32, address, value, 0);
}

Status StreamWriteValue64(StreamTag *stream, void *address, std::uint64_t value, unsigned) {
    if (!address) return Status::invalid_value;
    return submit_operation(stream, MemoryOperation::write_64, address, value, 0);
}

Status ExtStreamCreateWithCUMask(StreamTag **stream, unsigned size, const unsigned *mask) {
    if (!stream) return Status::invalid_resource_handle;
    if (!size || !mask) return Status::invalid_value;
    const std::vector<std::uint32_t> wanted(mask, mask + size);
    const Status status = api::StreamCreateWithPriority(stream, 0, 0);
    if (status == Status::success) find_stream(*stream)->mask = wanted;
    return status;
}

Status ExtStreamGetCUMask(StreamTag *stream, unsigned size, unsigned *mask) {
    const std::vector<std::uint32_t> all = all_processors();
    if (!mask || size < all.size()) return Status::invalid_value;
    std::ranges::copy(all, mask);
    const auto object = find_stream(stream);
    if (!object) return gone_stream(stream);
    for (std::size_t index = 0; index < std::min(all.size(), object->mask.size()); ++index)
        mask[index] = all[index] & object->mask[index];
    return Status::success;
}

} // namespace pygpu::host::hip
