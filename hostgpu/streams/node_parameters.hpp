// What the nodes of graphs do, in the words of the calls that made them: what is asked of a node, and
// printed.
#pragma once

#include "base/types.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pygpu::host {

class Event;
class GraphMemory;

// A launch's values as one block, as the drivers' `extra` names it.
struct PackedValues {
    std::size_t size;
    void *extra[5];
};

struct KernelCall {
    const void *function = nullptr; // as the caller named it
    Dim grid{}, block{};
    std::size_t shared = 0;
    bool cooperative = false;
    std::vector<void *> values{};               // pointers to each
    std::shared_ptr<PackedValues> packed{};     // where they came as one block
    std::shared_ptr<const void> storage{};      // what keeps them
    std::map<int, AttributeValue> attributes{}; // those that were set for the node
    std::string name{};                         // in the device code
};

struct EventUse {
    std::shared_ptr<Event> event;
    void *handle;
};

struct MemoryUse {
    std::shared_ptr<GraphMemory> memory;
};

struct NodeParameters {
    std::variant<std::monostate, KernelCall, Copy3D, MemsetNode, HostCall, EventUse, MemoryUse> is;
};

template <class Is> std::shared_ptr<const NodeParameters> parameters_of(Is is) {
    return std::make_shared<const NodeParameters>(NodeParameters{std::move(is)});
}

} // namespace pygpu::host
