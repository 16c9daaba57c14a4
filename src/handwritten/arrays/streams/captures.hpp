// Streams that are being captured: they can't be waited for or queried, and what is queued runs with every
// launch of the graph.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

namespace pygpu::arrays {

// Whether a stream of the scope's device is being captured. Returns the status of that query, which fails for
// a stream that does not exist any more, say.
int ask_capturing(const Runtime &runtime, Scope &scope, Stream stream, bool &capturing);

// Success where work may be queued on a stream without harm to a capture, else a status. That includes the
// default stream: its use would break the capture of any blocking stream of the device. For PyGPU's own work,
// and for work on several streams; a user's work on the default stream alone follows the rules of C.
int refuse_capture(const Runtime &runtime, Scope &scope, Stream stream);

} // namespace pygpu::arrays
