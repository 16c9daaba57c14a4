// Buffers whose memory ends with something else: with another buffer, or with loaded code.
#pragma once

#include "arrays/memory/buffer.hpp"

namespace pygpu::arrays {

// Frees the buffers that end with `source` (Buffer::end_with()), for the reason `why`. Those in use end with
// their last use. GIL held, and released meanwhile if it has to wait.
void end_dependents(const void *source, int why);

// A buffer with this source has ended. GIL held.
void forget_dependent(const void *source, const Buffer &buffer);

} // namespace pygpu::arrays
