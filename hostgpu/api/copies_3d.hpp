// Parts of arrays and three-dimensional copies, for the vendors' own forms of them.
#pragma once

#include "api/transfer.hpp"
#include "image/array.hpp"

namespace pygpu::host {

// Whether `count` elements from `at` on lie within `all`.
constexpr bool lie_within(std::size_t at, std::size_t count, std::size_t all) {
    return at <= all && count <= all - at;
}

// The part of an array that starts at a position (in elements); invalid_value when it reaches beyond.
Status region_of(const Array &array, const Position &at, const Size &size, StridedBlock &block);

// The `count` bytes of an array from an offset on, row after row.
Status run_of(const ArrayTag *handle, std::size_t x, std::size_t y, std::size_t count, StridedBlock &block);

// Moves a block to an offset in it (x in bytes); invalid_value where its memory does not go so far.
Status begin_at(const Position &at, StridedBlock &block);

Status copy_3d(const std::shared_ptr<Stream> &stream, const Copy3D &copy, int kind, Return when);

} // namespace pygpu::host
