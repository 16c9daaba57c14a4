// The table and the attributes of status classes.
#include "binding/status_class.hpp"

#include "binding/argument_errors.hpp"
#include "binding/status_base.hpp"
#include "binding/status_members.hpp"
#include "binding/status_text.hpp"
#include "python/boolean.hpp"
#include "python/heap_type.hpp"
#include "python/keywords.hpp"
#include "python/package.hpp"
#include "python/reference.hpp"
#include "python/type_name.hpp"
#include "runtime/api.hpp"

#include <cstring>
#include <string>

namespace pygpu {
namespace {

// A status of this module.
struct ErrorObject : StatusObject {
    StatusType *own() const { return static_cast<StatusType *>(kind); }
};

ErrorObject *error(PyObject *self) { return reinterpret_cast<ErrorObject *>(self); }

std::string name_of(const ErrorObject *self) {
    if (const char *name = self->own()->code_name(self->code)) return name;
    return std::string(self->own()->name()) + "(" + std::to_string(self->code) + ")";
}

std::string message_of(const ErrorObject *self) {
    const Api &api = self->own()->api();
    const char *name = self->own()->code_name(self->code);
    const bool ours = name && !std::strncmp(name, "PYGPU_", 6); // the library knows nothing of it
    if (api.ready() && !ours) {
        if (const char *text = api.error_string(self->code)) return text;
    }
    if (!name && api.statuses.errnos && self->code > 0) return std::strerror(self->code); // with the GIL
    if (!name) return "unknown error code";
    char text[128];
    describe(name, text, sizeof text);
    return text;
}

// The second code as an object of its class; None without one.
PyObject *get_detail(PyObject *self, void *) {
    const Statuses &statuses = error(self)->own()->api().statuses;
    const int detail = error(self)->detail;
    if (!detail) Py_RETURN_NONE;
    if (!statuses.detail_module) return PyLong_FromLong(detail);
    Reference type = from_module(statuses.detail_module, statuses.detail_class);
    return type ? PyObject_CallFunction(type.get(), "i", detail) : nullptr;
}

PyObject *repr(PyObject *self) {
    if (const int detail = error(self)->detail)
        return PyUnicode_FromFormat("<%s: code=%d, detail=%d>", error(self)->own()->name(), error(self)->code,
                                    detail);
    return PyUnicode_FromFormat("<%s: code=%d>", error(self)->own()->name(), error(self)->code);
}

PyObject *str(PyObject *self) {
    std::string text = name_of(error(self));
    // NVRTC and others have no words for a code: what they call its message is its name.
    if (const std::string message = message_of(error(self)); message != text) text += ": " + message;
    if (!error(self)->detail) return PyUnicode_FromString(text.c_str());
    Reference detail(get_detail(self, nullptr));
    return detail ? PyUnicode_FromFormat("%s (%S)", text.c_str(), detail.get()) : nullptr;
}

Py_hash_t hash(PyObject *self) { return error(self)->code == -1 ? -2 : error(self)->code; }

PyObject *compare(PyObject *self, PyObject *other, int operation) {
    if (operation != Py_EQ && operation != Py_NE) Py_RETURN_NOTIMPLEMENTED;
    bool equal = false;
    if (Py_TYPE(other) == Py_TYPE(self)) {
        equal = error(self)->code == error(other)->code;
    } else if (PyLong_Check(other)) {
        int overflow = 0;
        const long long value = PyLong_AsLongLongAndOverflow(other, &overflow);
        equal = !overflow && value == error(self)->code;
    } else {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return PyBool_FromLong(equal == (operation == Py_EQ));
}

int truth(PyObject *self) { return !error(self)->own()->api().statuses.succeeded(error(self)->code); }

PyObject *to_int(PyObject *self) { return PyLong_FromLong(error(self)->code); }

// Otherwise Python would take a status for a device number or an address wherever it takes an index.
PyObject *refuse_index(PyObject *self) {
    return PyErr_Format(PyExc_TypeError, "an integer is needed, not %s", type_description(self));
}

// Python's own message for `value, err = call()` would not say what a call without a value returns.
PyObject *refuse_iteration(PyObject *self) {
    return PyErr_Format(PyExc_TypeError,
                        "cannot unpack %s, which is not iterable: a call with no value returns the error "
                        "alone, so write err = call()",
                        error(self)->own()->name());
}

PyObject *create_error(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    const Arguments arguments(StatusType::of(type)->name(), {"code"}, args, kwargs);
    if (!arguments) return nullptr;
    PyObject *code = arguments[0];
    if (Py_TYPE(code) == type) return Py_NewRef(code);
    const StatusType *other =
        StatusType::of(Py_TYPE(code)); // HIP's under CUDA's name, or the other way round
    if (other && &other->api() == &StatusType::of(type)->api()) {
        return StatusType::of(type)->get(StatusType::number_of(code));
    }
    Reference index(PyIndex_Check(code) && !is_bool(code) ? PyNumber_Index(code) : nullptr);
    if (!index) {
        PyErr_Clear();
        return PyErr_Format(PyExc_TypeError, "%s(): parameter 'code' must be an integer, not %.80s",
                            StatusType::of(type)->name(), type_description(code));
    }
    int overflow = 0;
    const long value = PyLong_AsLongAndOverflow(index.get(), &overflow);
    if (overflow || value != static_cast<int>(value)) {
        return PyErr_Format(PyExc_OverflowError, "%s(): parameter 'code' = %R is out of range",
                            StatusType::of(type)->name(), index.get());
    }
    return StatusType::of(type)->get(static_cast<int>(value));
}

PyObject *reduce(PyObject *self, PyObject *) {
    return Py_BuildValue("(O(i))", reinterpret_cast<PyObject *>(Py_TYPE(self)), StatusType::number_of(self));
}

PyObject *get_code(PyObject *self, void *) { return to_int(self); }
PyObject *get_name(PyObject *self, void *) { return PyUnicode_FromString(name_of(error(self)).c_str()); }
PyObject *get_message(PyObject *self, void *) {
    return PyUnicode_FromString(message_of(error(self)).c_str());
}

PyGetSetDef properties[] = {{"code", get_code, nullptr, "the status code, an int", nullptr},
                            {"name", get_name, nullptr, "the enumerator's name", nullptr},
                            {"message", get_message, nullptr, "what the code means, in words", nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyGetSetDef detailed_properties[] = {
    properties[0],
    properties[1],
    properties[2],
    {"detail", get_detail, nullptr, "the second code, an object of its own class, or None", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

} // namespace

bool create_class(StatusType &errors) {
    const bool detailed = errors.api().statuses.detailed != Statuses::none;
    const std::string doc =
        std::string(errors.name()) + // the type copies it
        "(code)\n--\n\n"
        "A status code: one object for each code, false when it is success.\n\n"
        "It is equal to its int and to itself, and not to another API's. int() is the code. "
        "The names of codes are attributes, and members as an IntEnum's.\nIt can't be unpacked: err, = call() fails. No "
        "function takes it for a number or an address.\nRaises TypeError for what is no "
        "integer, OverflowError for what C's int can't hold.";
    const TypeTable table{.create = create_error,
                          .destroy = free_object,
                          .repr = repr,
                          .str = str,
                          .hash = hash,
                          .compare = compare,
                          .iterate = refuse_iteration,
                          .truth = truth,
                          .number = to_int,
                          .index = refuse_index,
                          .methods = methods,
                          .properties = detailed ? detailed_properties : properties,
                          .doc = doc.c_str(),
                          .base = status_base,
                          .open = true};
    PyTypeObject *type = make_type(type_name(errors.module(), errors.name()), sizeof(ErrorObject), 0, table);
    if (!type) return false;
    Reference api(PyUnicode_FromString(errors.api().name));
    if (!api || PyObject_SetAttrString(reinterpret_cast<PyObject *>(type), "_api", api.get())) return false;
    return errors.adopt(type) && give_members(type);
}

} // namespace pygpu
