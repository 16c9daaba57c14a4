// Streams that are being captured: nothing there may be waited for or asked about, and what is queued runs
// with every launch of the graph.
#pragma once

#include "arrays/copy/engine.hpp"
#include "arrays/memory/buffer.hpp"
#include "arrays/runtime/runtime.hpp"
#include "arrays/runtime/scope.hpp"

#include <Python.h>

#include <vector>

namespace pygpu::arrays {

// Whether a stream of the scope's device is being captured. Where it can't be told the status, which is the
// stream's own trouble: it does not exist any more, say.
int ask_capturing(const Runtime &runtime, Scope &scope, Stream stream, bool &capturing);

// Whether work that nobody asked for may be queued on a stream. On the legacy default stream it would spoil
// the capture of any blocking stream of the device.
bool may_queue(const Runtime &runtime, Scope &scope, Stream stream);

// What a captured copy reads and writes: a numpy array (or null), its staging, the arrays' memory.
struct Captured {
    Reference object;
    Staging staging;
    std::vector<Held<Buffer>> buffers;
};

// Keeps it as long as the graph that the stream is being captured into, and all that are made of it; for ever
// where the library can't tell when they end. GIL held.
void keep_by_graph(const Runtime &runtime, Stream stream, Captured &&captured);

} // namespace pygpu::arrays
