// The CPU's strided copy.
#include "arrays/transfer/host.hpp"

#include "arrays/transfer/sides.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace pygpu::arrays {
namespace {

// Of a size that the compiler knows. Rows of half a line of the cache and more are prefetched, on either
// side: eight threads gathered rows of 64 bytes, each second one, at 26 GB/s by memcpy(to, from, size), at 31
// by a constant size, and at 36 so; they scattered them at 20, 24 and 32 (one H100's machine).
template <std::size_t size>
void copy_run(char *to, const char *from, ssize_t extent, ssize_t to_stride, ssize_t from_stride) {
    constexpr ssize_t ahead = 16;
    constexpr std::size_t line = 64;
    for (ssize_t at = 0; at < extent; ++at) {
        if constexpr (size >= line / 2) {
            for (std::size_t byte = 0; byte < size; byte += line) {
                __builtin_prefetch(from + ahead * from_stride + byte);
                __builtin_prefetch(to + ahead * to_stride + byte, 1);
            }
        }
        std::memcpy(to, from, size);
        to += to_stride;
        from += from_stride;
    }
}

template <std::size_t... sizes>
bool copy_run_of(std::index_sequence<sizes...>, char *to, const char *from, const Axis &run, ssize_t size) {
    return ((size == ssize_t{sizes} && (copy_run<sizes>(to, from, run.extent, run.to, run.from), true)) ||
            ...);
}

void copy_run(char *to, const char *from, const Axis &run, ssize_t itemsize) {
    if (run.to == itemsize && run.from == itemsize) {
        std::memcpy(to, from, static_cast<std::size_t>(run.extent * itemsize));
        return;
    }
    using Sizes = std::index_sequence<1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128>;
    if (copy_run_of(Sizes(), to, from, run, itemsize)) return;
    for (ssize_t at = 0; at < run.extent; ++at)
        std::memcpy(to + at * run.to, from + at * run.from, static_cast<std::size_t>(itemsize));
}

// Rows that run across those of the source: tile by tile, so that a line of the cache that was fetched for
// one element still serves its neighbours.
void copy_tiles(char *to, const char *from, const Axis &rows, const Axis &run, ssize_t itemsize) {
    constexpr ssize_t tile = 32;
    for (ssize_t column = 0; column < run.extent; column += tile) {
        const Axis part{std::min(tile, run.extent - column), run.to, run.from};
        for (ssize_t row = 0; row < rows.extent; ++row)
            copy_run(to + row * rows.to + column * run.to, from + row * rows.from + column * run.from, part,
                     itemsize);
    }
}

void copy_axes(char *to, const char *from, const Axis *axis, int count, ssize_t itemsize) {
    if (count == 1) return copy_run(to, from, *axis, itemsize);
    if (count == 2 && std::abs(axis[0].from) < std::abs(axis[1].from))
        return copy_tiles(to, from, axis[0], axis[1], itemsize);
    for (ssize_t at = 0; at < axis->extent; ++at)
        copy_axes(to + at * axis->to, from + at * axis->from, axis + 1, count - 1, itemsize);
}

void copy_on_host(char *to, const char *from, Axes axes, ssize_t itemsize) {
    if (!axes.elements()) return;
    normalise(to, from, axes);
    if (axes.count > 1) { // rows that are one run on both sides are as one element
        const Axis &row = axes.axis[axes.count - 1];
        if (row.to == itemsize && row.from == itemsize) {
            itemsize *= row.extent;
            axes.remove(axes.count - 1);
        }
    }
    if (!axes.count) axes.add({1, itemsize, itemsize});
    copy_axes(to, from, axes.axis, axes.count, itemsize);
}

// Visits the elements from `first` on, axis by axis, in pieces that are whole steps of an axis:
// `visit(host, packed offset, axes)` gets the strides of the packed side as `to`.
template <class Visit>
void in_pieces(char *host, const Axes &axes, int at, ssize_t inner, ssize_t itemsize, ssize_t first,
               ssize_t count, ssize_t offset, Visit visit) {
    if (at == axes.count) return visit(host, offset, Axes());
    const Axis &axis = axes.axis[at];
    inner /= axis.extent; // elements in one step of this axis
    host += first / inner * axis.from;
    ssize_t skip = first % inner;
    while (count) {
        ssize_t taken = 0, steps = 1;
        if (skip || count < inner) {
            taken = std::min(inner - skip, count);
            in_pieces(host, axes, at + 1, inner, itemsize, skip, taken, offset, visit);
            skip = 0;
        } else {
            steps = count / inner;
            taken = steps * inner;
            Axes whole;
            whole.add({steps, inner * itemsize, axis.from});
            ssize_t stride = inner * itemsize;
            for (int next = at + 1; next < axes.count; ++next) {
                stride /= axes.axis[next].extent;
                whole.add({axes.axis[next].extent, stride, axes.axis[next].from});
            }
            visit(host, offset, whole);
        }
        host += steps * axis.from;
        offset += taken * itemsize;
        count -= taken;
    }
}

} // namespace

void HostCopy::run() const {
    if (to) copy_on_host(to, from, axes, itemsize);
}

void HostSide::gather(char *packed, ssize_t first, ssize_t count) const {
    in_pieces(data, axes, 0, axes.elements(), itemsize, first, count, 0,
              [&](const char *host, ssize_t offset, const Axes &piece) {
                  copy_on_host(packed + offset, host, piece, itemsize);
              });
}

void HostSide::scatter(const char *packed, ssize_t first, ssize_t count) const {
    in_pieces(data, axes, 0, axes.elements(), itemsize, first, count, 0,
              [&](char *host, ssize_t offset, Axes piece) {
                  for (int at = 0; at < piece.count; ++at) std::swap(piece.axis[at].to, piece.axis[at].from);
                  copy_on_host(host, packed + offset, piece, itemsize);
              });
}

} // namespace pygpu::arrays
