// How much memory C touches behind the pointers in a struct, by the formulas that rules give.
//
// Checked where a struct becomes an argument: a shorter buffer or array that a pointer was set to is a
// ValueError. Of a bare address nothing is known.
#pragma once

#include "binding/argument_context.hpp"
#include "convert/memory.hpp"
#include "types/structs/object.hpp"

#include <Python.h>

#include <cstddef>
#include <cstring>

namespace pygpu {

// The bytes behind the pointer at the begin of `data`, where its owner has a size; else
// Memory::unknown.
std::size_t size_behind(const std::byte *data, const PointerOwners &owners, const ArgumentContext &context);

// False with ValueError set where a pointer leads to too little.
bool check_lengths(StructClass &kind, const std::byte *data, const PointerOwners &owners,
                   const ArgumentContext &context);

// What the generated formulas of a layout speak to.
class StructLengths {
public:
    StructLengths(Api &api, const std::byte *data, const PointerOwners &owners,
                  const ArgumentContext &context)
        : api_(api), data_(data), owners_(owners), context_(context) {}

    // The number at an offset.
    template <class T> std::size_t number(std::size_t offset) const {
        T value;
        std::memcpy(&value, data_ + offset, sizeof value);
        return static_cast<std::size_t>(value);
    }
    // The bytes behind the pointer at an offset; Memory::unknown where nothing can be said.
    std::size_t given(std::size_t offset) const;
    void need(const char *path, std::size_t given, std::size_t bytes);
    // The formulas of a struct inside of this one.
    void enter(std::size_t offset, const char *path, void (*lengths)(StructLengths &of));
    // The bytes of an element of an array of C's: 1 for null, and where the library can't tell.
    std::size_t element(std::size_t array) const;

    bool good() const { return good_; }

private:
    Api &api_;
    const std::byte *data_;
    PointerOwners owners_;
    const ArgumentContext &context_;
    bool good_ = true;
};

} // namespace pygpu
