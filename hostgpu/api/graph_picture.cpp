// Numbers of graphs and nodes, and graphs as text in Graphviz's language.
#include "api/nodes.hpp"
#include "base/report.hpp"
#include "common/demangled.hpp"
#include "memory/graph_memory.hpp"
#include "streams/plan.hpp"

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace pygpu::host {
namespace {

// What the text may hold beyond the nodes; all vendors number the flags alike.
enum class Detail : unsigned {
    everything = 1 << 0,
    kernels = 1 << 2,
    copies = 1 << 3,
    sets = 1 << 4,
    hosts = 1 << 5,
    events = 1 << 6,
    attributes = 1 << 9,
    handles = 1 << 10,
    allocations = 1 << 11,
    releases = 1 << 12,
    conditions = 1 << 15,
};

const char *name_of(Task task) {
    switch (task) {
    case Task::kernel:
        return "KERNEL";
    case Task::copy:
        return "MEMCPY";
    case Task::set:
        return "MEMSET";
    case Task::host:
        return "HOST";
    case Task::graph:
        return "GRAPH";
    case Task::wait:
        return "EVENT_WAIT";
    case Task::record:
        return "EVENT_RECORD";
    case Task::allocation:
        return "MEM_ALLOC";
    case Task::release:
        return "MEM_FREE";
    case Task::batch:
        return "BATCH_MEM_OP";
    case Task::conditional:
        return "CONDITIONAL";
    case Task::empty:
        break;
    }
    return "EMPTY";
}

// What is special in a quoted string, and in the label of a record.
std::string escaped(const std::string &text) {
    std::string safe;
    for (const char one : text) {
        if (std::string("\"\\{}|<> ").find(one) != std::string::npos) safe += '\\';
        safe += one;
    }
    return safe;
}

std::string text_of(const Dim &dim) {
    return std::to_string(dim.x) + "," + std::to_string(dim.y) + "," + std::to_string(dim.z);
}

class Picture {
public:
    explicit Picture(unsigned flags)
        : flags_(flags & static_cast<unsigned>(Detail::everything) ? ~0u : flags) {}

    std::string of(const Graph &graph) {
        text_ = "digraph dot {\n";
        draw(graph);
        return text_ + "}\n";
    }

private:
    bool shows(Detail detail) const { return flags_ & static_cast<unsigned>(detail); }

    static std::string id_of(const Node &node) {
        return "\"graph_" + std::to_string(node.graph->number) + "_node_" + std::to_string(node.number) +
               "\"";
    }

    void field(const std::string &name, const std::string &value) {
        label_ += "|{" + name + "|" + escaped(value) + "}";
    }
    void field(const std::string &name, std::size_t value) { field(name, std::to_string(value)); }
    void field(const std::string &name, const void *value) { field(name, hex(value)); }

    void describe(const KernelCall &call) {
        field("kernel", demangled(call.name));
        if (shows(Detail::handles)) field("func handle", call.function);
        if (shows(Detail::kernels)) {
            field("grid", text_of(call.grid));
            field("block", text_of(call.block));
            field("sharedMemBytes", call.shared);
        }
        if (!shows(Detail::attributes)) return;
        field("cooperative", std::size_t{call.cooperative});
        for (const auto &[number, value] : call.attributes) {
            int first = 0;
            std::memcpy(&first, value.bytes, sizeof first);
            field("attribute " + std::to_string(number), std::to_string(first));
        }
    }
    void describe(const Copy3D &copy) {
        static const char *const kinds[] = {"HtoH", "HtoD", "DtoH", "DtoD", "Default"};
        if (copy.kind <= by_address) field("kind", std::string(kinds[copy.kind]));
        if (!shows(Detail::copies)) return;
        const auto end = [&](const std::string &name, const void *array, const Pitched &memory,
                             const Position &at) {
            field(name, array ? array : memory.ptr);
            field(name + " pitch", memory.pitch);
            field(name + " position",
                  std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.z));
        };
        end("src", copy.src_array, copy.src_ptr, copy.src_pos);
        end("dst", copy.dst_array, copy.dst_ptr, copy.dst_pos);
        field("extent", std::to_string(copy.extent.width) + "," + std::to_string(copy.extent.height) + "," +
                            std::to_string(copy.extent.depth));
    }
    void describe(const MemsetNode &set) {
        if (!shows(Detail::sets)) return;
        field("dptr", set.to);
        field("pitch", set.pitch);
        field("value", std::size_t{set.value});
        field("elementSize", std::size_t{set.element});
        field("width", set.width);
        field("height", set.height);
    }
    void describe(const HostCall &call) {
        if (!shows(Detail::hosts)) return;
        field("function", reinterpret_cast<const void *>(call.function));
        field("data", static_cast<const void *>(call.data));
    }
    void describe(const EventUse &use) {
        if (shows(Detail::events)) field("event", static_cast<const void *>(use.handle));
    }
    void describe(const MemoryUse &use, bool allocates) {
        if (!shows(allocates ? Detail::allocations : Detail::releases)) return;
        field("dptr", static_cast<const void *>(use.memory->node().address));
        if (allocates) field("bytesize", use.memory->node().size);
    }
    void describe(const Conditional &conditional) {
        static const char *const types[] = {"IF", "WHILE", "SWITCH"};
        field("type", types[conditional.type]);
        if (!shows(Detail::conditions)) return;
        field("handle", std::size_t{conditional.condition->handle});
        field("size", conditional.bodies.size());
    }

    void describe(const Node &node) {
        if (node.conditional) describe(*node.conditional);
        if (!node.work || !node.work->parameters) return;
        const auto &is = node.work->parameters->is;
        if (const auto *kernel = std::get_if<KernelCall>(&is)) describe(*kernel);
        if (const auto *copy = std::get_if<Copy3D>(&is)) describe(*copy);
        if (const auto *set = std::get_if<MemsetNode>(&is)) describe(*set);
        if (const auto *call = std::get_if<HostCall>(&is)) describe(*call);
        if (const auto *event = std::get_if<EventUse>(&is)) describe(*event);
        if (const auto *memory = std::get_if<MemoryUse>(&is))
            describe(*memory, node.task == Task::allocation);
    }

    // A cluster, and those of the graphs in its nodes.
    void draw(const Graph &graph) {
        const std::string name = "graph_" + std::to_string(graph.number);
        text_ += "subgraph cluster_" + name + " {\nlabel=\"" + name + "\" graph[style=\"dashed\"];\n";
        for (const auto &node : graph.nodes) {
            label_ = "{" + std::string(name_of(node->task)) + "|{ID|" + std::to_string(node->number) + "}";
            if (shows(Detail::handles)) field("node handle", static_cast<const void *>(node->handle));
            describe(*node);
            text_ += id_of(*node) + "[style=\"solid\" shape=\"record\" label=\"" + label_ + "}\"];\n";
        }
        for (const auto &node : graph.nodes) {
            for (const Node *one : node->after) text_ += id_of(*one) + " -> " + id_of(*node) + ";\n";
        }
        text_ += "}\n";
        for (const auto &node : graph.nodes) {
            each_inner(*node, [&](const Graph &inner) {
                draw(inner);
                if (!inner.nodes.empty())
                    text_ += id_of(*node) + " -> " + id_of(*inner.nodes.front()) + "[style=\"dashed\"];\n";
            });
        }
    }

    unsigned flags_;
    std::string text_{}, label_{};
};

} // namespace

namespace api {

Status GraphGetId(GraphTag *graph, unsigned *id) {
    const auto object = find_graph(graph);
    if (!object || !id) return Status::invalid_value;
    *id = object->number;
    return Status::success;
}

Status GraphExecGetId(ExecutableTag *executable, unsigned *id) {
    const auto object = executables().find(executable);
    if (!object || !id) return Status::invalid_value;
    *id = object->number;
    return Status::success;
}

Status GraphNodeGetLocalId(NodeTag *node, unsigned *id) {
    const auto object = nodes().find(node);
    if (!object || !id) return Status::invalid_value;
    *id = object->number;
    return Status::success;
}

// As tools build it: the graph's number, then the node's in it.
Status GraphNodeGetToolsId(NodeTag *node, unsigned long long *id) {
    const auto object = nodes().find(node);
    if (!object || !id) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    if (!object->graph) return Status::invalid_value;
    *id = static_cast<unsigned long long>(object->graph->number) << 32 | object->number;
    return Status::success;
}

Status GraphDebugDotPrint(GraphTag *graph, const char *path, unsigned flags) {
    const auto object = find_graph(graph);
    if (!object || !path) return Status::invalid_value;
    std::string text;
    {
        std::lock_guard lock(graphs_mutex());
        text = Picture(flags).of(*object);
    }
    const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path, "w"), std::fclose);
    if (!file) return Status::operating_system;
    const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
    return written && !std::fflush(file.get()) ? Status::success : Status::operating_system;
}

} // namespace api
} // namespace pygpu::host
