// Attributes of kernels' nodes, and which nodes of an executable graph do nothing.
#include "api/nodes.hpp"
#include "streams/plan.hpp"

#include <cstring>

namespace pygpu::host {
namespace {

// Those of both of CUDA's APIs; HIP has the first two and the priority.
bool has_kernels(int attribute) {
    constexpr int access_policy_window = 1, scheduling_policy = 5, sync_domain_map = 9, sync_domain = 10,
                  preferred_cluster = 11, shared_carveout = 14, cluster = 4;
    switch (attribute) {
    case access_policy_window:
    case cooperative_attribute:
    case priority_attribute:
        return true;
    case cluster:
    case scheduling_policy:
    case sync_domain_map:
    case sync_domain:
    case preferred_cluster:
    case shared_carveout:
        return !on_hip();
    default:
        return false;
    }
}

int as_number(const AttributeValue &value) {
    int number = 0;
    std::memcpy(&number, value.bytes, sizeof number);
    return number;
}

AttributeValue value_of(int number) {
    AttributeValue value{};
    std::memcpy(value.bytes, &number, sizeof number);
    return value;
}

AttributeValue value_of(const KernelCall &call, int attribute) {
    const auto set = call.attributes.find(attribute);
    if (set != call.attributes.end()) return set->second;
    return value_of(attribute == cooperative_attribute && call.cooperative);
}

// GraphKernelNode::SetAttrParams() of ROCm/clr.
bool suits_hip(int attribute, const AttributeValue &value) {
    struct Window {
        void *base;
        std::size_t size;
        float ratio;
        int hit, miss;
    } window{};
    constexpr int persisting = 2;
    std::memcpy(&window, value.bytes, sizeof window);
    if (attribute == priority_attribute) {
        const int priority = as_number(value);
        return priority >= -1 && priority <= 1;
    }
    if (attribute != 1) return true;
    return window.ratio >= 0 && window.ratio <= 1 && window.miss != persisting &&
           !(window.size && window.ratio == 0);
}

// Launches a node's kernel anew, with its values as they are.
Status set_attributes(NodeTag *node, KernelCall call, std::map<int, AttributeValue> attributes) {
    call.attributes = std::move(attributes);
    call.cooperative = as_number(value_of(call, cooperative_attribute)) != 0;
    const auto again = [&](const std::shared_ptr<Stream> &stream) {
        const auto kernel = kernel_of(call.function);
        if (!kernel) return Status::invalid_device_function;
        const Launch launch{call.grid, call.block, call.shared, nullptr, call.cooperative, call.function};
        return launch_kernel(*kernel, launch, stream, {call.values.data()});
    };
    return set_work(true, nullptr, node, Task::kernel, again, parameters_of(call));
}

} // namespace

bool is_cooperative(NodeTag *node) {
    const auto call = asked<KernelCall>(node, Task::kernel);
    return call && as_number(value_of(*call, cooperative_attribute));
}

namespace api {

Status GraphKernelNodeGetAttribute(NodeTag *node, int attribute, AttributeValue *value) {
    const auto call = asked<KernelCall>(node, Task::kernel);
    if (!call || !value || !has_kernels(attribute)) return Status::invalid_value;
    // GraphKernelNode::GetAttrParams() of ROCm/clr knows the last one only.
    if (on_hip() && !call->attributes.empty() && !call->attributes.count(attribute))
        return Status::invalid_value;
    *value = value_of(*call, attribute);
    return Status::success;
}

Status GraphKernelNodeSetAttribute(NodeTag *node, int attribute, const AttributeValue *value) {
    const auto call = asked<KernelCall>(node, Task::kernel);
    if (!call || !value || !has_kernels(attribute)) return Status::invalid_value;
    if (on_hip() && !suits_hip(attribute, *value)) return Status::invalid_value;
    auto attributes = on_hip() ? std::map<int, AttributeValue>{} : call->attributes;
    attributes[attribute] = *value;
    return set_attributes(node, *call, std::move(attributes));
}

Status GraphKernelNodeCopyAttributes(NodeTag *to, NodeTag *from) {
    const auto target = asked<KernelCall>(to, Task::kernel), source = asked<KernelCall>(from, Task::kernel);
    if (!target || !source) return Status::invalid_value;
    const auto &set = source->attributes;
    if (on_hip() && !target->attributes.empty() &&
        (set.empty() || !target->attributes.count(set.begin()->first)))
        return Status::invalid_context; // GraphKernelNode::CopyAttr() of ROCm/clr
    auto attributes = set;
    if (!on_hip()) attributes[cooperative_attribute] = value_of(*source, cooperative_attribute);
    return set_attributes(to, *target, std::move(attributes));
}

namespace {

// Only these can be disabled: the manual of cudaGraphNodeSetEnabled.
bool can_be_disabled(NodeTag *node) {
    const auto object = nodes().find(node);
    return object && object->task <= Task::set;
}

} // namespace

Status GraphNodeSetEnabled(ExecutableTag *executable, NodeTag *node, unsigned enabled) {
    const auto object = executables().find(executable);
    if (!object || !can_be_disabled(node)) return Status::invalid_value;
    std::shared_ptr<const Plan> next; // then the former one: released without the lock
    std::lock_guard lock(object->mutex);
    next = changed(*object->plan, node, [=](Plan::Step &step) {
        step.enabled = enabled != 0;
        return true;
    });
    if (!next) return Status::invalid_value;
    object->plan.swap(next);
    return Status::success;
}

Status GraphNodeGetEnabled(ExecutableTag *executable, NodeTag *node, unsigned *enabled) {
    const auto object = executables().find(executable);
    if (!object || !enabled || !can_be_disabled(node)) return Status::invalid_value;
    std::lock_guard lock(object->mutex);
    const Plan::Step *const step = step_of(*object->plan, node);
    if (!step) return Status::invalid_value;
    *enabled = step->enabled;
    return Status::success;
}

} // namespace api
} // namespace pygpu::host
