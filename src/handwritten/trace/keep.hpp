// Handing calls with their arguments to Python's recorder of replays
// (python/PyGPU/_trace/replay/recording/record.py), which keeps the data that they read and write.
#pragma once

#include "trace/items.hpp"
#include "trace/own_call.hpp"

#include <Python.h>

#include <array>
#include <cstddef>
#include <span>

namespace pygpu {
struct Api;
struct FunctionRecord;
} // namespace pygpu

namespace pygpu::trace {

// Sets the recorder, an object with the methods begin(), end(), begin_own() and end_own(); null ends it. With
// the GIL.
void keep_calls(PyObject *recorder);

// A call of the user's. With the GIL.
class KeptCall {
public:
    bool begun() const { return token_; }
    void begin(const FunctionRecord &function, std::span<PyObject *const> arguments);
    // Takes the result for a moment, which is null with an exception set if the call has raised.
    void end(int status, bool raising, PyObject *result);

private:
    PyObject *token_ = nullptr; // the recorder's
};

// A call that PyGPU makes for itself, on any thread, with the GIL or without.
class KeptOwnCall {
public:
    void begin(const Api &api, const OwnCall &call, std::span<const std::byte> items);
    void end(int status, std::span<const std::byte> results);

private:
    PyObject *token_ = nullptr;
};

// Memory for the items of one call.
class ItemsMemory {
public:
    Items items() { return {memory_.data(), memory_.data() + memory_.size()}; }
    std::span<const std::byte> up_to(const Items &items) const {
        return {memory_.data(), static_cast<std::size_t>(items.at() - memory_.data())};
    }

private:
    std::array<std::byte, 512> memory_;
};

} // namespace pygpu::trace
