// PyGPU's own pool of stream-ordered memory on each device; never the device's default pool.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

#include <cstddef>
#include <cstdint>

namespace pygpu::arrays {

// The pool of the scope's device, made on first use; null where the runtime has no pools.
Pool pool_of(const Runtime &runtime, Scope &scope);

// How much unused memory the pool keeps when a stream is synchronised. A sixteenth of the device's memory
// unless set.
int set_pool_threshold(const Runtime &runtime, Scope &scope, std::uint64_t bytes);

// Bytes in arrays, and bytes that the pool holds for them and for later ones. Zeros without a pool.
int pool_usage(const Runtime &runtime, Scope &scope, std::uint64_t &used, std::uint64_t &reserved);

// Waits for the device, frees what is deferred or cached page-locked, and gives all unused memory back to the
// driver.
int trim(const Runtime &runtime, Scope &scope, std::size_t keep);

// trim() of all where an allocation found too little; whether it is worth trying again.
bool give_all_back(const Runtime &runtime, Scope &scope);

} // namespace pygpu::arrays
