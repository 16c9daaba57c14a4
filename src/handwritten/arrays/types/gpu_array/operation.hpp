// An operation on arrays: its stream, the order with other work on the arrays, and the memory that it needs.
#pragma once

#include "arrays/memory/upload_ring.hpp"
#include "arrays/transfer/engine.hpp"
#include "arrays/types/gpu_array/array.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace pygpu::arrays {

class Operation {
public:
    static constexpr int most_buffers = 16;

    Operation(Buffer &buffer, const StreamArgument &requested, bool asynchronous);

    // Call for each further buffer.
    void involve(Buffer &buffer);

    Job job();

    // Call if the operation waits for the stream. That fails while the stream is being captured.
    void shall_wait() {
        if (!status && capturing) status = runtime.codes.capture_unsupported;
    }

    // Keeps the staging buffers and a numpy array until the stream has done the work. The caller need not
    // wait.
    void keep(PyObject *array = nullptr);

    // Call once when all is queued.
    void finish();

    const Runtime &runtime;
    Scope scope;
    const StreamArgument requested, stream;
    bool asynchronous;
    bool capturing = false;
    bool kernels = true, unsure = false; // of the job
    StagingBuffer staging;
    std::vector<Buffer::Using> captured; // uses of memory by the graph
    int status = success;

private:
    std::array<std::optional<Buffer::Using>, most_buffers> using_; // while the work is queued, outside of a
                                                                   // capture
    std::array<Buffer *, most_buffers> used_;
    std::size_t used_count_ = 0;

    // Whether a stream of another device was named. Then the work runs on a stream of the array's device,
    // after the earlier work of the named stream and before its later work. A current stream of another
    // device was not named, and doesn't matter here.
    bool elsewhere() const { return !requested.current && !requested.is_of(scope.device()); }
};

// The start of each call: does postponed work, releases finished copies, and gets the runtime. False with an
// exception set.
bool begin(Runtime *&runtime);

// The axes of two layouts of the same shape, with the bytes of an element as the last one unless they are
// left out. The layouts must have elements.
Axes axes_of(const Layout &to, const ssize_t *from_strides, bool bytes = true);

} // namespace pygpu::arrays
