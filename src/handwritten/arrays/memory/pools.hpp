// PyGPU's own pool of stream-ordered memory on each device. The device's default pool is never used.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

#include <cstddef>
#include <cstdint>

namespace pygpu::arrays {

// The pool of the scope's device, made on first use; null if the runtime has no pools.
Pool pool_of(const Runtime &runtime, Scope &scope);

// Sets how much unused memory the pool keeps when a stream is synchronised. The default is an eighth of the
// device's memory.
int set_pool_threshold(const Runtime &runtime, Scope &scope, std::uint64_t bytes);

// `used`: bytes in arrays. `reserved`: bytes that the pool holds for these and for later arrays. Zeros
// without a pool.
int pool_usage(const Runtime &runtime, Scope &scope, std::uint64_t &used, std::uint64_t &reserved);

} // namespace pygpu::arrays
