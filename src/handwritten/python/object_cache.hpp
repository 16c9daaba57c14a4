// What was found out about Python objects that are few and stay, types and dtypes say: looked up by address.
#pragma once

#include <Python.h>

#include <array>
#include <cstddef>
#include <utility>

namespace pygpu {

// Guarded by the GIL. It retains its objects, so that an address means one of them; one that needs the place
// of another takes it.
template <class Value> class ObjectCache {
public:
    // Null where nothing is known of the object.
    Value *find(PyObject *object) {
        Entry &entry = entry_of(object);
        return entry.object == object ? &entry.value : nullptr;
    }

    void put(PyObject *object, Value value) {
        Entry &entry = entry_of(object);
        std::swap(entry.value, value);
        Py_INCREF(object);
        Py_XSETREF(entry.object, object); // the end of the earlier ones, at last, may run any code
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
