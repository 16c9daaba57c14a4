// Waits for values and writes of values: alone, in batches, and as nodes of graphs.
#pragma once

#include "base/status.hpp"
#include "base/types.hpp"
#include "streams/memory_operations.hpp"

#include <cstdint>
#include <memory>

namespace pygpu::host {

// A node of a graph with a batch, laid out as in both APIs.
struct BatchNode {
    void *context;
    unsigned count;
    MemoryOperation *operations;
    unsigned flags;
};

inline constexpr auto wait_32 = MemoryOperation::wait_32, wait_64 = MemoryOperation::wait_64,
                      write_32 = MemoryOperation::write_32, write_64 = MemoryOperation::write_64;

namespace api {

// Checks one operation, and queues it.
Status submit_operation(StreamTag *stream, MemoryOperation::Type type, void *address, std::uint64_t value,
                        unsigned flags, Comparison comparison = {});

Status StreamBatchMemOp(StreamTag *stream, unsigned count, MemoryOperation *operations, unsigned flags);

Status GraphAddBatchMemOpNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                              const BatchNode *batch);
// The operations belong to the node, until it gets others.
Status GraphBatchMemOpNodeGetParams(NodeTag *node, BatchNode *batch);
Status GraphBatchMemOpNodeSetParams(NodeTag *node, const BatchNode *batch);
Status GraphExecBatchMemOpNodeSetParams(ExecutableTag *executable, NodeTag *node, const BatchNode *batch);

} // namespace api
} // namespace pygpu::host
