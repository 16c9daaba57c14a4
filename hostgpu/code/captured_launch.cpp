// Describing captured launches.
#include "code/captured_launch.hpp"

#include "streams/node_parameters.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace pygpu::host {

void describe(Work &work, const Stream &stream, const Kernel &kernel, const Launch &launch,
              const Arguments &arguments, const Signature &parameters, char *values,
              std::shared_ptr<const void> storage) {
    KernelCall call;
    call.function = launch.function;
    call.grid = launch.grid;
    call.block = launch.block;
    call.shared = launch.shared;
    call.cooperative = launch.cooperative;
    if (arguments.block) {
        call.packed = std::make_shared<PackedValues>(PackedValues{end_of(parameters), {}});
        const auto key = [](std::uintptr_t number) { return reinterpret_cast<void *>(number); };
        void *const extra[] = {key(packed_values), values, key(packed_size), &call.packed->size, key(0)};
        std::ranges::copy(extra, call.packed->extra);
    }
    if (const int priority = stream.priority) {
        AttributeValue value{};
        std::memcpy(value.bytes, &priority, sizeof priority);
        call.attributes[priority_attribute] = value;
    }
    for (const Parameter &one : parameters) call.values.push_back(values + one.offset);
    call.storage = std::move(storage);
    call.name = kernel.name;
    work.parameters = parameters_of(std::move(call));
}

} // namespace pygpu::host
