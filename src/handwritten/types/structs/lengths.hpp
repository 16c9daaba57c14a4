// How much memory C touches behind the pointers in a struct, by the formulas that rules give.
//
// The check is made when a struct becomes an argument. If a pointer was set to a buffer or array that is too
// short, it is a ValueError. Nothing is known about a bare address.
#pragma once

#include "binding/argument_context.hpp"
#include "convert/memory.hpp"
#include "types/structs/object.hpp"

#include <Python.h>

#include <cstddef>
#include <cstring>

namespace pygpu {

// How many bytes lie behind the pointer at the beginning of `data`; Memory::unknown if its owner has no size.
std::size_t size_behind(const std::byte *data, const PointerOwners &owners, const ArgumentContext &context);

// False with ValueError set where a pointer leads to too little.
bool check_lengths(StructClass &kind, const std::byte *data, const PointerOwners &owners,
                   const ArgumentContext &context);

// The interface for the generated formulas of a layout.
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
    // How many bytes lie behind the pointer at an offset; Memory::unknown if that is not known.
    std::size_t bytes_behind(std::size_t offset) const;
    void need(const char *path, std::size_t size, std::size_t bytes);
    // The formulas of a struct inside of this one.
    void enter(std::size_t offset, const char *path, void (*lengths)(StructLengths &of));
    // The bytes of one element of a CUDA or HIP array; 1 for null, or if the library can't tell.
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
