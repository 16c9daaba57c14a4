// The multiprocessors of devices, and sets of them. Here a multiprocessor is one of the machine's processors,
// so groups may have any size.
#include "api/contexts.hpp"

#include "api/find.hpp"
#include "base/handles.hpp"
#include "device/device.hpp"
#include "device/facts.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace pygpu::host {
namespace {

constexpr unsigned long long mark = 0x5059475055524553; // "PYGPURES"

// What a green context is made from.
struct Description {
    int device;
    unsigned share;
};

Handles<Description> &descriptions() {
    static auto *all = new Handles<Description>;
    return *all;
}

DevResource processors(int device, unsigned count, unsigned long long split) {
    DevResource resource{};
    if (!count) return resource; // of type none
    resource.type = DevResource::multiprocessors;
    resource.origin = {mark, split, device};
    resource.processors = {count, 1, 1, 0, 0};
    return resource;
}

unsigned long long next_split() {
    static std::atomic<unsigned long long> last{0};
    return ++last;
}

// What a split may start from: the result of one may not.
Status check_input(const DevResource *input) {
    if (!input) return Status::invalid_value;
    if (input->type != DevResource::multiprocessors) return Status::invalid_resource_type;
    if (input->origin.mark != mark || !is_device(input->origin.device)) return Status::invalid_value;
    return input->origin.split ? Status::invalid_resource_configuration : Status::success;
}

} // namespace

bool share_of(const DescriptionTag *handle, int &device, unsigned &share) {
    const auto description = descriptions().find(handle);
    if (!description) return false;
    device = description->device;
    share = description->share;
    return true;
}

Status get_resource(const Context &context, DevResource *resource, int type) {
    if (!resource) return Status::invalid_value;
    if (type != DevResource::multiprocessors) return Status::invalid_resource_type;
    const auto all = static_cast<unsigned>(facts().cores);
    *resource = processors(context.device, context.green() ? context.share : all, 0);
    return Status::success;
}

namespace api {

Status DeviceGetDevResource(int device, DevResource *resource, int type) {
    if (!resource) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    return get_resource(*primary_context(device), resource, type);
}

Status StreamGetDevResource(StreamTag *stream, DevResource *resource, int type) {
    const auto object = find_stream(stream);
    if (!object) return gone_stream(stream);
    const auto green = green_context_of(*object);
    return get_resource(green ? *green : *primary_context(object->device), resource, type);
}

Status DevSmResourceSplitByCount(DevResource *groups, unsigned *number, const DevResource *input,
                                 DevResource *remaining, unsigned, unsigned least) {
    if (!number) return Status::invalid_value; // an H200 doesn't look at the flags
    const Status status = check_input(input);
    if (status != Status::success) return status;
    const unsigned all = input->processors.count, each = std::max(least, 1u);
    if (each > all) return Status::invalid_resource_configuration;
    if (groups && !*number) return Status::invalid_value;
    *number = groups ? std::min(*number, all / each) : all / each;
    const unsigned long long split = next_split();
    const int device = input->origin.device;
    const DevResource rest = processors(device, all - *number * each, split);
    for (unsigned index = 0; groups && index < *number; ++index)
        groups[index] = processors(device, each, split);
    if (remaining) *remaining = rest;
    return Status::success;
}

// A group without a count gets what the groups after it leave, where those have counts.
Status DevSmResourceSplit(DevResource *groups, unsigned number, const DevResource *input,
                          DevResource *remaining, unsigned flags, GroupWish *wishes) {
    constexpr unsigned backfill = 1, domain = 2, supplemental = 4;
    if (!number || !wishes || flags) return Status::invalid_value;
    const Status status = check_input(input);
    if (status != Status::success) return status;
    unsigned left = input->processors.count;
    std::vector<unsigned> counts;
    for (unsigned index = 0; index < number; ++index) {
        const GroupWish &one = wishes[index];
        if (one.flags & ~(backfill | domain | supplemental)) return Status::invalid_value;
        if (std::ranges::any_of(one.reserved, [](unsigned word) { return word != 0; }))
            return Status::invalid_value;
        if (one.flags & domain && one.domain) return Status::invalid_resource_configuration; // there is one
        const unsigned unit = std::max(one.together, 1u);
        if (one.count % unit && !(one.flags & backfill)) return Status::invalid_resource_configuration;
        if (one.count > left) return Status::invalid_resource_configuration;
        counts.push_back(one.count);
        left -= one.count;
    }
    for (unsigned index = 0; index < number; ++index) {
        const unsigned unit = std::max(wishes[index].together, 1u);
        if (counts[index]) continue;
        counts[index] = left / unit * unit;
        left -= counts[index];
    }
    const unsigned long long split = next_split();
    const int device = input->origin.device;
    for (unsigned index = 0; index < number; ++index) {
        wishes[index].count = counts[index];
        if (groups) groups[index] = processors(device, counts[index], split);
    }
    if (remaining) *remaining = processors(device, left, split);
    return Status::success;
}

Status DevResourceGenerateDesc(DescriptionTag **handle, DevResource *resources, unsigned number) {
    if (!handle || !resources || !number) return Status::invalid_value;
    const DevResource &first = resources[0];
    unsigned long long share = 0;
    for (unsigned index = 0; index < number; ++index) {
        const DevResource &one = resources[index];
        if (one.type != DevResource::multiprocessors) return Status::invalid_resource_type;
        if (one.origin.mark != mark || !is_device(one.origin.device)) return Status::invalid_value;
        if (one.origin.device != first.origin.device || one.origin.split != first.origin.split)
            return Status::invalid_resource_configuration;
        share += one.processors.count;
    }
    if (!share) return Status::invalid_resource_configuration;
    share = std::min(share, static_cast<unsigned long long>(facts().cores)); // the whole may be there twice
    auto created =
        std::make_shared<Description>(Description{first.origin.device, static_cast<unsigned>(share)});
    *handle = static_cast<DescriptionTag *>(descriptions().add(std::move(created)));
    return Status::success;
}

} // namespace api
} // namespace pygpu::host
