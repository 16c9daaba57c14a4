// A struct as an argument of a call: its bytes in memory that outlives the call, with a zeroed tail.
#pragma once

#include "binding/argument_context.hpp"
#include "convert/memory.hpp"
#include "types/structs/struct_class.hpp"

#include <Python.h>

#include <cstddef>
#include <span>

namespace pygpu {

// A newer library may know a longer struct than this build: it finds zeros behind what we know.
inline constexpr std::size_t struct_tail = 1024;

// A struct that C takes by value, or writes back to.
class StructCopy {
public:
    StructCopy() = default;
    StructCopy(const StructCopy &) = delete;
    StructCopy &operator=(const StructCopy &) = delete;
    ~StructCopy() {
        if (owners_) end();
    }

    // The bytes go to `buffer`.
    [[gnu::hot]] bool load(StructClass &kind, PyObject *object, const ArgumentContext &context,
                           std::span<std::byte> buffer);
    // The bytes behind its first field, a pointer.
    std::size_t size_behind_first() const { return size_behind_first_; }

private:
    void end();

    PyObject *owners_ = nullptr;
    std::size_t size_behind_first_ = Memory::unknown;
};

// A struct that C takes by pointer.
class StructArgument {
public:
    // For a parameter that C takes by pointer: the bytes go to `buffer`, but for memory that isn't Python's
    // (an address, a view on C's own struct), which C gets as it is. None is null.
    bool point(StructClass &kind, PyObject *object, const ArgumentContext &context,
               std::span<std::byte> buffer);
    // For one that C knows by its address: never a copy.
    bool point_to_itself(StructClass &kind, PyObject *object, const ArgumentContext &context);

    void *pointer() const { return pointer_; }
    bool is_struct() const { return is_struct_; } // and not an address or a buffer

private:
    bool point_to_memory(StructClass &kind, PyObject *object, const ArgumentContext &context);

    void *pointer_ = nullptr;
    bool is_struct_ = false;
    StructCopy copy_;
    Memory memory_;
};

// An array of structs, one behind the other.
class StructArguments {
public:
    StructArguments() = default;
    StructArguments(const StructArguments &) = delete;
    StructArguments &operator=(const StructArguments &) = delete;
    ~StructArguments();

    // Takes a sequence of what a single one takes, one struct alone, None or an address.
    bool load(StructClass &kind, PyObject *object, const ArgumentContext &context);

    void *pointer() const { return pointer_; }
    std::size_t count() const { return count_; } // unknown for an address

private:
    void *pointer_ = nullptr;
    std::size_t count_ = Memory::unknown;
    std::byte *bytes_ = nullptr;
    PyObject *owners_ = nullptr;
};

} // namespace pygpu
