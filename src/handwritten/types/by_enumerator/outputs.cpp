// Converts what C wrote to the type that the enumerator stands for.
#include "types/by_enumerator/outputs.hpp"

#include "types/structs/item.hpp"
#include "types/structs/numbers.hpp"
#include "types/structs/object.hpp"

#include <algorithm>
#include <new>

namespace pygpu {
namespace {

constexpr std::size_t output_tail = 256; // a newer library may write a longer value
constexpr std::size_t usual_items = 128; // the capacity of an array if the caller gives no size
constexpr long long no_item = -2;        // …InvalidDeviceId fills the places behind the last item

std::byte *writable(const std::byte *at) { return const_cast<std::byte *>(at); }

} // namespace

TypedOut::TypedOut(const TypedTable &table, long long by, std::size_t size)
    : table_(&table), one_(table.find(by)) {
    if (size > most_output_bytes) throw std::bad_alloc();
    size_ = size ? size : table.most_bytes();
    if (!size && one_) {
        const Field field = current_field(table.tables.structs, one_->field);
        size_ = one_->array ? field.size * usual_items : extent(field);
    }
    bytes_.resize(std::max(size_, table.most_bytes()) + output_tail);
}

PyObject *TypedOut::to_python() const {
    if (!one_) {
        return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(bytes_.data()),
                                         static_cast<Py_ssize_t>(size_));
    }
    const Field field = current_field(table_->tables.structs, one_->field);
    if (!one_->array) {
        if (field.role == Role::nested)
            return struct_copy(table_->tables.structs[field.index], bytes_.data());
        return read_item(table_->tables, field, writable(bytes_.data()), nullptr);
    }
    std::size_t count = size_ / field.size;
    while (count && load_integer(field, &bytes_[(count - 1) * field.size]) == no_item) --count;
    Reference list(PyList_New(static_cast<Py_ssize_t>(count)));
    for (std::size_t at = 0; list && at < count; ++at) {
        PyObject *item = read_item(table_->tables, field, writable(&bytes_[at * field.size]), nullptr);
        if (!item) return nullptr;
        PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(at), item);
    }
    return list.release();
}

void TypedOuts::add(const TypedTable &table, long long by, std::size_t size) {
    TypedOut &value = values_.emplace_back(table, by, size);
    held_ += value.held();
    if (held_ > most_output_bytes) throw std::bad_alloc();
    pointers_.push_back(value.memory().data);
    sizes_.push_back(value.size());
}

PyObject *TypedOuts::to_python() const { return pygpu::to_python(values_); }

} // namespace pygpu
