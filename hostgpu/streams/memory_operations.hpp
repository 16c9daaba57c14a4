// Waits for values in memory, and writes of values, in a stream's order.
#pragma once

#include "streams/work.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pygpu::host {

// One operation, laid out as in both APIs: CUstreamBatchMemOpParams and hipStreamBatchMemOpParams.
struct MemoryOperation {
    enum Type : unsigned { wait_32 = 1, write_32 = 2, flush = 3, wait_64 = 4, write_64 = 5, barrier = 6 };
    enum Compare : unsigned { at_least, equal, any_bit, any_bit_missing, compare_bits = 3 };

    unsigned type;
    unsigned own_flags; // a barrier's and a flush's
    void *address;
    std::uint64_t value; // of 32 bits, the lower half
    unsigned flags;      // a wait's comparison, or a write's
    unsigned unused;
    void *alias;
    std::uint64_t rest;

    bool waits() const { return type == wait_32 || type == wait_64; }
    bool writes() const { return type == write_32 || type == write_64; }
    unsigned bytes() const { return type == wait_64 || type == write_64 ? 8 : 4; }
};
static_assert(sizeof(MemoryOperation) == 48);

// How an API compares: CUDA's numbers wrap around, as counters do, and HIP's waits have a mask.
struct Comparison {
    bool wraps = true;
    std::uint64_t mask = ~std::uint64_t{0};
};

// The operations as one piece of work. Only the thread that serves the stream runs it, since it may wait for
// long.
class BatchWork final : public Work {
public:
    BatchWork(std::vector<MemoryOperation> operations, Comparison comparison, void *context);
    void run() override;

    std::function<bool()> may_run{}; // a node's: asked at each launch
    const std::vector<MemoryOperation> operations;
    void *const context;       // the node's, as given
    std::string types() const; // a byte for each operation

private:
    const Comparison comparison_;
};

} // namespace pygpu::host
