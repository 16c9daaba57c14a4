// Streams that are being captured. They can't be waited for or queried, and work that is queued there runs
// with every launch of the graph.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

namespace pygpu::arrays {

// Whether a stream of the scope's device is being captured. Returns the status of the query. It fails, for
// example, for a stream that no longer exists.
int ask_capturing(const Runtime &runtime, Scope &scope, Stream stream, bool &capturing);

// Success if work may be queued on a stream without breaking a capture, else a status. Work on the default
// stream would break the capture of any blocking stream of the device, so that is refused, too. For PyGPU's
// own work, and for work on several streams. A user's work on the default stream alone follows the rules of
// C.
int refuse_capture(const Runtime &runtime, Scope &scope, Stream stream);

} // namespace pygpu::arrays
