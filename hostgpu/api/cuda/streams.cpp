// What only CUDA's streams and events have.
#include "api/cuda/implemented.hpp"
#include "api/find.hpp"
#include "cuda_runtime/enumerators.hpp"
#include "streams/stream.hpp"

namespace pygpu::host::cuda {
namespace {

bool has_streams(int attribute) {
    switch (static_cast<c::cudaLaunchAttributeID>(attribute)) {
    case c::cudaLaunchAttributeAccessPolicyWindow:
    case c::cudaLaunchAttributeSynchronizationPolicy:
    case c::cudaLaunchAttributePriority:
    case c::cudaLaunchAttributeMemSyncDomainMap:
    case c::cudaLaunchAttributeMemSyncDomain:
        return true;
    default:
        return false;
    }
}

c::cudaLaunchAttributeValue at_first(const Stream &stream, int attribute) {
    c::cudaLaunchAttributeValue value{};
    if (attribute == static_cast<int>(c::cudaLaunchAttributeSynchronizationPolicy))
        value.syncPolicy = c::cudaSyncPolicyAuto;
    if (attribute == static_cast<int>(c::cudaLaunchAttributePriority)) value.priority = stream.priority;
    return value;
}

} // namespace

Status StreamGetId(StreamTag *stream, unsigned long long *id) {
    const auto found = find_stream(stream);
    if (!found) return gone_stream(stream);
    if (!id) return Status::invalid_value;
    *id = found->id;
    return Status::success;
}

Status LaunchHostFunc_v2(StreamTag *stream, void (*function)(void *), void *data, unsigned how) {
    return how > 1 ? Status::invalid_value
                   : LaunchHostFunc(stream, function, data); // how it waits makes no difference here
}

Status EventRecordWithFlags(EventTag *event, StreamTag *stream, unsigned flags) {
    if (flags > 1) return Status::invalid_value;
    if (!flags) return EventRecord(event, stream);
    const auto on = find_stream(stream); // in captures they are nodes, which aren't supported
    if (!on) return gone_stream(stream);
    return captures(*on) ? Status::not_supported : Status::illegal_state;
}

Status StreamGetAttribute(StreamTag *stream, int attribute, c::cudaLaunchAttributeValue *value) {
    const auto found = find_stream(stream);
    if (!found) return gone_stream(stream);
    if (!value || !has_streams(attribute)) return Status::invalid_value;
    Stream::Attribute bytes;
    *value = found->attribute(attribute, bytes) ? __builtin_bit_cast(c::cudaLaunchAttributeValue, bytes)
                                                : at_first(*found, attribute);
    return Status::success;
}

Status StreamSetAttribute(StreamTag *stream, int attribute, const c::cudaLaunchAttributeValue *value) {
    const auto found = find_stream(stream);
    if (!found) return gone_stream(stream);
    if (!value || !has_streams(attribute)) return Status::invalid_value;
    if (attribute == static_cast<int>(c::cudaLaunchAttributePriority))
        found->priority = value->priority;
    else
        found->set_attribute(attribute, __builtin_bit_cast(Stream::Attribute, *value));
    return Status::success;
}

Status StreamCopyAttributes(StreamTag *to, StreamTag *from) {
    const auto target = find_stream(to), source = find_stream(from);
    if (!target || !source) return gone_stream(target ? from : to);
    target->copy_attributes(*source);
    return Status::success;
}

} // namespace pygpu::host::cuda
