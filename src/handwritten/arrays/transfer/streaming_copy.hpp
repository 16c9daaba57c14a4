// Copies that write past the caches of the processors.
//
// The bus is slow to read lines that a processor's own cache holds changed: pieces of 1 MiB that eight
// threads had just written crossed at 20 GB/s, and at 38 when written past the caches (one H100). Large
// results, of which the caches hold little, are written without being read first.
#pragma once

#include <cstddef>

namespace pygpu::arrays {

// As memcpy(), which it is where the processor has no AVX2. The bytes are there when it returns: another
// thread or the bus may be told so.
void copy_past_caches(char *to, const char *from, std::size_t bytes);

} // namespace pygpu::arrays
