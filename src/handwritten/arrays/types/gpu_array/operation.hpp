// An operation on arrays while its work is queued: its stream, and what that stream has to wait for.
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
    Operation(Buffer &buffer, const StreamArgument &requested, bool asynchronous);

    // Call once for the other buffer, where there is one.
    void involve(Buffer &buffer);

    Job job() { return {runtime, scope, stream.stream, staging, capturing, !asynchronous}; }

    // The caller is going to wait for the stream: not while it is being captured.
    void shall_wait() {
        if (!status && capturing) status = capture_unsupported;
    }

    // What was staged, and a numpy array, stay until the stream has come so far; the caller need not wait.
    void keep(PyObject *array = nullptr);

    // Call once when all is queued.
    void finish();

    const Runtime &runtime;
    Scope scope;
    const StreamArgument requested, stream;
    bool asynchronous;
    bool capturing = false;
    StagingBuffer staging;
    std::vector<Buffer::Using> captured; // what goes into a graph
    int status = success;

private:
    std::array<std::optional<Buffer::Using>, 2> using_; // while work that is none of a graph is queued
    std::array<Buffer *, 2> used_;
    std::size_t used_count_ = 0;

    // A stream of another device was named: the work is done on one of the array's, between the work that is
    // there now and what comes later. (One that is merely current means nothing on this device.)
    bool elsewhere() const { return !requested.current && !requested.is_of(scope.device()); }
};

// What each call does first. False with an exception set.
bool begin(Runtime *&runtime);

// Of layouts with elements.
Axes axes_of(const Layout &to, const ssize_t *from_strides);

} // namespace pygpu::arrays
