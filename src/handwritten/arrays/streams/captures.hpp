// Streams that are being captured: nothing there may be waited for or asked about, and what is queued runs
// with every launch of the graph.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

namespace pygpu::arrays {

// Whether a stream of the scope's device is being captured. Where it can't be told the status, which is the
// stream's own trouble: it does not exist any more, say.
int ask_capturing(const Runtime &runtime, Scope &scope, Stream stream, bool &capturing);

// Success where work may be queued on a stream without harm to a capture, else a status. The default stream
// is asked, too: its use would spoil the capture of any blocking stream of the device. For what nobody asked
// for, and for what touches several streams; who asks for work on the default stream alone has the rules of
// C.
int refuse_capture(const Runtime &runtime, Scope &scope, Stream stream);

} // namespace pygpu::arrays
