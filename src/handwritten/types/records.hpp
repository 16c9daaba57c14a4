// Records in other memory as parameters and results.
#pragma once

#include "convert/converter.hpp"
#include "types/lent_structs.hpp"
#include "types/structs/converters.hpp"

#include <cstddef>

namespace pygpu {

template <class T, const TypedTable &table> struct Record {
    T *found;
    const std::byte *end;

    T **memory() { return &found; }
};

template <class T, const TypedTable &table> struct Converter<Record<T, table>> {
    RecordArgument argument;

    bool load(PyObject *object, const ArgumentContext &context) { return argument.load(object, context); }
    void fallback(long long) {} // null
    Record<T, table> value() const { return {static_cast<T *>(argument.pointer()), argument.end()}; }

    template <class M> bool check_with(const Converter<M> &memory, const ArgumentContext &context) {
        return argument.check_within(memory.value().data, memory.size(), context);
    }
};

template <class T, const TypedTable &table> PyObject *to_python(const Record<T, table> &record) {
    return record_to_python(table, struct_class<T>(), record.found, record.end);
}

} // namespace pygpu
