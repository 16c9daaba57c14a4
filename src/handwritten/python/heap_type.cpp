// From a table to Python's slots.
#include "python/heap_type.hpp"

#include <array>
#include <type_traits>

namespace pygpu {

PyTypeObject *make_type(const char *name, std::size_t size, unsigned long flags, const TypeTable &table) {
    std::array<PyType_Slot, 28> slots{};
    std::size_t count = 0;
    const auto add = [&](int slot, auto *what) {
        if (!what) return;
        if constexpr (std::is_function_v<std::remove_pointer_t<decltype(what)>>)
            slots[count++] = {slot, reinterpret_cast<void *>(what)};
        else
            slots[count++] = {slot, const_cast<void *>(static_cast<const void *>(what))};
    };
    add(Py_tp_new, table.create);
    add(Py_tp_dealloc, table.destroy);
    add(Py_tp_traverse, table.traverse);
    add(Py_tp_clear, table.clear);
    add(Py_tp_finalize, table.finish);
    add(Py_tp_repr, table.repr);
    add(Py_tp_str, table.str);
    add(Py_tp_hash, table.hash);
    add(Py_tp_richcompare, table.compare);
    add(Py_tp_iter, table.iterate);
    add(Py_tp_call, table.call);
    add(Py_nb_bool, table.truth);
    add(Py_nb_int, table.number);
    add(Py_nb_index, table.index);
    add(Py_nb_subtract, table.subtract);
    add(Py_sq_length, table.length);
    add(Py_mp_length, table.length);
    add(Py_sq_item, table.item);
    add(Py_mp_subscript, table.subscript);
    add(Py_mp_ass_subscript, table.assign);
    add(Py_sq_contains, table.contains);
    add(Py_bf_getbuffer, table.lend);
    add(Py_bf_releasebuffer, table.take_back);
    add(Py_tp_methods, table.methods);
    add(Py_tp_getset, table.properties);
    add(Py_tp_members, table.members);
    add(Py_tp_doc, table.doc);
    const unsigned long all = Py_TPFLAGS_DEFAULT | flags | (table.open ? 0 : Py_TPFLAGS_IMMUTABLETYPE);
    PyType_Spec spec{name, static_cast<int>(size), static_cast<int>(table.item_size),
                     static_cast<unsigned>(all), slots.data()};
    return reinterpret_cast<PyTypeObject *>(
        PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject *>(table.base)));
}

PyTypeObject *make_type(const char *name, std::size_t size, unsigned long flags, PyType_Slot *slots,
                        std::size_t item) {
    PyType_Spec spec{name, static_cast<int>(size), static_cast<int>(item),
                     static_cast<unsigned>(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | flags), slots};
    return reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
}

} // namespace pygpu
