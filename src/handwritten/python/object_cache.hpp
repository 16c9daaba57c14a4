// A cache of facts about Python objects, looked up by address. For objects that are few and live long, such
// as types and dtypes.
#pragma once

#include <Python.h>

#include <array>
#include <cstddef>
#include <utility>

namespace pygpu {

// Guarded by the GIL. It retains its objects, so that no other object can get the address of one of them. A
// new object replaces the one that has the same place in the table.
template <class Value> class ObjectCache {
public:
    // Null if nothing is known of the object.
    Value *find(PyObject *object) {
        Entry &entry = entry_of(object);
        return entry.object == object ? &entry.value : nullptr;
    }

    void put(PyObject *object, Value value) {
        Entry &entry = entry_of(object);
        std::swap(entry.value, value);
        Py_INCREF(object);
        Py_XSETREF(entry.object, object); // last: the end of the earlier object and value may run any code
    }

private:
    struct Entry {
        PyObject *object = nullptr;
        Value value{};
    };

    Entry &entry_of(PyObject *object) {
        return entries_[(reinterpret_cast<std::size_t>(object) >> 4) % entries_.size()];
    }

    std::array<Entry, 64> entries_{};
};

} // namespace pygpu
