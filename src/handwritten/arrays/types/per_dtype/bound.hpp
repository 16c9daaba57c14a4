// Families of classes whose methods pybind11 binds: once for all dtypes, in a base class.
//
// The class of a dtype derives from it on the C API, and makes a value with each object. pybind11's own
// objects can lack theirs, and methods would read memory that nobody has set.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/types/per_dtype/classes.hpp"
#include "python/pybind.hpp"
#include "python/trashcan.hpp"

#include <functional>
#include <memory>

namespace pygpu::arrays {

// What the value of each object has.
struct TypedValue {
    explicit TypedValue(const PyTypeObject *type) : name(name_of(type)), dtype(dtype_of(type)) {}

    py::object keep_status(int kept) {
        status = kept;
        return last_status();
    }
    py::object last_status() const {
        return or_throw(status_object(deref_or_throw(arrays::runtime()), status));
    }

    const char *const name; // of the class
    const DType &dtype;
    int status = success;
};

// The base class of `Value`, made on first use. `bind` adds its methods, whose docstrings begin with the
// signature. Null with an exception set.
template <class Value> PyTypeObject *base_class(const char *name, void (*bind)(py::class_<Value> &)) {
    static PyTypeObject *type = nullptr;
    if (type) return type;
    const bool collects = PyGC_Disable(); // a finaliser could want the class while it is half made
    type = null_if_thrown([&] {
        py::options options;
        options.disable_function_signatures();
        const auto setup = [](PyHeapTypeObject *heap) {
            heap->ht_type.tp_init = PyBaseObject_Type.tp_init; // pybind11's raises an error
        };
        py::class_<Value> base(py::handle(), name, py::custom_type_setup(setup),
                               py::metaclass(reinterpret_cast<PyObject *>(&PyType_Type)));
        py::delattr(base, "_pybind11_conduit_v1_"); // for modules that share objects by pybind11's own table
        base.attr("__module__") = "PyGPU";
        bind(base);
        auto *base_type = reinterpret_cast<PyTypeObject *>(base.ptr());
        base_type->tp_flags |= Py_TPFLAGS_IMMUTABLETYPE; // so that classes derived from it may be
        return base_type;
    });
    if (collects) PyGC_Enable();
    return type;
}

// The value of an object. Its class has one bound class among its bases, so pybind11 keeps the address here.
template <class Value> Value &value_of(PyObject *self) {
    return *static_cast<Value *>(reinterpret_cast<py::detail::instance *>(self)->simple_value_holder[0]);
}

// A new object, whose value fill(value) completes, which may throw. Null with an exception set.
template <class Value, class Fill> PyObject *make_object(PyTypeObject *type, Fill fill) {
    return null_if_thrown([&] {
        auto value = std::make_unique<Value>(type);
        fill(*value);
        py::detail::all_type_info(type); // makes Python objects at first, so the garbage collector may run
        PyObject *self = or_throw(type->tp_alloc(type, 0)).release().ptr();
        auto *instance = reinterpret_cast<py::detail::instance *>(self);
        instance->allocate_layout();
        auto slot = instance->get_value_and_holder();
        slot.value_ptr() = value.get();
        new (&slot.template holder<std::unique_ptr<Value>>()) std::unique_ptr<Value>(std::move(value));
        slot.set_holder_constructed();
        return self;
    });
}

template <class Value> void destroy_object(PyObject *self) {
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, destroy_object<Value>);
    py::detail::pybind11_object_dealloc(self);
    Py_TRASHCAN_END;
}

// A family of such classes, never freed. construct(value, args, kwargs) takes the arguments of a call, or
// throws. `table` has the docstring, and what slots the base class lacks.
template <class Value, auto construct>
Family *make_family(const char *name, PyTypeObject *(*base)(), TypeTable table) {
    table.create = [](PyTypeObject *type, PyObject *args, PyObject *kwargs) {
        return make_object<Value>(type, [&](Value &value) { std::invoke(construct, value, args, kwargs); });
    };
    table.destroy = destroy_object<Value>;
    table.traverse = [](PyObject *self, visitproc visit, void *arg) {
        Py_VISIT(Py_TYPE(self));
        return value_of<Value>(self).traverse(visit, arg);
    };
    if constexpr (requires(Value value) { value.clear(); })
        table.clear = [](PyObject *self) { return value_of<Value>(self).clear(); };
    return new Family(name, 0, table, base);
}

} // namespace pygpu::arrays
