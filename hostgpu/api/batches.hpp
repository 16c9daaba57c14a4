// Batches of copies, prefetches and discards, and copies with a batch's attributes. CUDA's releases since 13
// have them, and HIP's since 7.1.
#pragma once

#include "base/status.hpp"
#include "base/types.hpp"

#include <cstddef>

namespace pygpu::host {

enum CopyOrder { in_stream_order = 1, during_call, in_any_order };

struct CopyAttributes {
    unsigned order;
    Location source, target; // hints
    unsigned flags;
};

// A copy of a batch of copies in three dimensions.
struct BatchCopy3D {
    enum EndType : unsigned { pointer = 1, array = 2 };
    struct End {
        EndType type;
        union {
            struct {
                void *base;
                std::size_t row, rows; // of a layer
                Location hint;
            } memory;
            struct {
                ArrayTag *array;
                Position offset;
            } image;
        };
    };
    End src, dst;
    Extent extent;
    unsigned order, flags;
};

namespace api {

Status MemcpyBatchAsync(void *const *to, const void *const *from, const std::size_t *sizes, std::size_t count,
                        const CopyAttributes *attributes, const std::size_t *indices, std::size_t number,
                        StreamTag *stream);
Status Memcpy3DBatchAsync(std::size_t count, const BatchCopy3D *operations, unsigned long long flags,
                          StreamTag *stream);
Status MemcpyWithAttributesAsync(void *to, const void *from, std::size_t count,
                                 const CopyAttributes *attributes, StreamTag *stream);
Status MemPrefetchBatchAsync(void **pieces, std::size_t *sizes, std::size_t count, Location *locations,
                             const std::size_t *indices, std::size_t number, unsigned long long flags,
                             StreamTag *stream);
Status MemDiscardBatchAsync(void **pieces, std::size_t *sizes, std::size_t count, unsigned long long flags,
                            StreamTag *stream);
Status MemDiscardAndPrefetchBatchAsync(void **pieces, std::size_t *sizes, std::size_t count,
                                       Location *locations, const std::size_t *indices, std::size_t number,
                                       unsigned long long flags, StreamTag *stream);

} // namespace api
} // namespace pygpu::host
