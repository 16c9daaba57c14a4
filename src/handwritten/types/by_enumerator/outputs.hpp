// Memory for values that C writes. An enumerator decides their type.
#pragma once

#include "convert/sequences.hpp"
#include "types/by_enumerator/table.hpp"
#include "types/results.hpp"

#include <Python.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace pygpu {

// The memory is zeroed, because some libraries write fewer bytes than the type has. For an unknown enumerator
// the value is returned as bytes.
class TypedOut {
public:
    TypedOut() = default;
    template <class Enum>
    TypedOut(const TypedTable &table, Enum by) : TypedOut(table, static_cast<long long>(by), 0) {}
    // `size` goes to C: it is the caller's size, or becomes the size of the type.
    template <class Enum, class N>
    TypedOut(const TypedTable &table, Enum by, Count<N> &size)
        : TypedOut(table, static_cast<long long>(by),
                   size.is_set ? static_cast<std::size_t>(size.value) : 0) {
        if (!size.is_set) size.value = static_cast<N>(size_);
    }
    TypedOut(const TypedTable &table, long long by, std::size_t size);

    AnyPointer memory() { return {bytes_.data()}; }
    std::size_t size() const { return size_; }
    std::size_t held() const { return sizeof *this + bytes_.size(); }
    PyObject *to_python() const;

private:
    const TypedTable *table_ = nullptr;
    const TypedCase *one_ = nullptr;
    std::size_t size_ = 0;
    std::vector<std::byte> bytes_;
};

// Several values, one for each enumerator of an array.
class TypedOuts {
public:
    TypedOuts() = default;
    template <class Enum, class N>
    TypedOuts(const TypedTable &table, Array<Enum> by, N count, Array<std::size_t> sizes = {nullptr}) {
        for (std::size_t at = 0; std::cmp_less(at, count); ++at) {
            add(table, by.data ? static_cast<long long>(by.data[at]) : -1, sizes.data ? sizes.data[at] : 0);
        }
    }

    void **pointers() { return pointers_.data(); }
    std::size_t *sizes() { return sizes_.data(); }
    PyObject *to_python() const;

private:
    // Throws std::bad_alloc for more memory than an array may have.
    void add(const TypedTable &table, long long by, std::size_t size);

    std::size_t held_ = 0; // bytes
    std::vector<TypedOut> values_;
    std::vector<void *> pointers_;
    std::vector<std::size_t> sizes_;
};

inline PyObject *to_python(const TypedOut &value) { return value.to_python(); }
inline PyObject *to_python(const TypedOuts &values) { return values.to_python(); }

} // namespace pygpu
