// A struct as an argument of a call: its bytes in memory that outlives the call, with a zeroed tail.
#pragma once

#include "binding/argument_context.hpp"
#include "convert/memory.hpp"
#include "types/structs/struct_class.hpp"

#include <Python.h>

#include <cstddef>
#include <span>

namespace pygpu {

// A newer library may know a longer struct than this build: it finds zeros behind the known fields.
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
    // How many bytes lie behind the pointer that is the first field.
    std::size_t size_behind_first() const { return size_behind_first_; }

private:
    void end();

    PyObject *owners_ = nullptr;
    std::size_t size_behind_first_ = Memory::unknown;
};

// A struct that C takes by pointer.
class StructArgument {
public:
    // For a parameter that C takes by pointer. The bytes are copied to `buffer`. Memory that isn't Python's
    // (an address, a view on C's own struct) is not copied: C gets its address. None is null.
    bool point(StructClass &kind, PyObject *object, const ArgumentContext &context,
               std::span<std::byte> buffer);
    // For a struct that C identifies by its address, so it is never copied.
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

    // Accepts None, an address, one struct, or a sequence. Its items may be anything that a single struct
    // argument may be.
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
