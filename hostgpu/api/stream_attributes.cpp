// Attributes of streams.
#include "api/api.hpp"
#include "api/find.hpp"
#include "streams/capture.hpp"
#include "streams/stream.hpp"

#include <cstring>

namespace pygpu::host::api {
namespace {

// Both of CUDA's APIs number them alike.
enum AttributeId {
    access_policy_window = 1,
    synchronization_policy = 3,
    priority = 8,
    mem_sync_domain_map = 9,
    mem_sync_domain = 10,
};
constexpr int policy_auto = 1;

bool has_streams(int attribute) {
    switch (attribute) {
    case access_policy_window:
    case synchronization_policy:
    case priority:
    case mem_sync_domain_map:
    case mem_sync_domain:
        return true;
    default:
        return false;
    }
}

AttributeValue at_first(const Stream &stream, int attribute) {
    AttributeValue value{};
    const int number = attribute == synchronization_policy ? policy_auto
                       : attribute == priority             ? stream.priority.load()
                                                           : 0;
    std::memcpy(value.bytes, &number, sizeof number);
    return value;
}

} // namespace

Status StreamGetAttribute(StreamTag *stream, int attribute, AttributeValue *value) {
    const auto object = find_stream(stream);
    if (!object) return gone_stream(stream);
    if (!value || !has_streams(attribute)) return Status::invalid_value;
    refuse_implied_on_cuda(*object);
    Stream::Attribute bytes;
    *value = object->attribute(attribute, bytes) ? __builtin_bit_cast(AttributeValue, bytes)
                                                 : at_first(*object, attribute);
    return Status::success;
}

Status StreamSetAttribute(StreamTag *stream, int attribute, const AttributeValue *value) {
    const auto object = find_stream(stream);
    if (!object) return gone_stream(stream);
    if (!value || !has_streams(attribute)) return Status::invalid_value;
    refuse_implied_on_cuda(*object);
    int number = 0;
    std::memcpy(&number, value->bytes, sizeof number);
    if (attribute == priority)
        object->priority = number;
    else
        object->set_attribute(attribute, __builtin_bit_cast(Stream::Attribute, *value));
    return Status::success;
}

Status StreamCopyAttributes(StreamTag *to, StreamTag *from) {
    const auto target = find_stream(to), source = find_stream(from);
    if (!target || !source) return gone_stream(target ? from : to);
    refuse_implied_on_cuda(*target);
    refuse_implied_on_cuda(*source);
    target->copy_attributes(*source);
    return Status::success;
}

} // namespace pygpu::host::api
