// The Python classes of status codes, and their objects.
#include "binding/status_type.hpp"

#include "binding/argument_errors.hpp"
#include "binding/status_base.hpp"
#include "binding/status_members.hpp"
#include "python/boolean.hpp"
#include "python/keywords.hpp"
#include "python/reference.hpp"
#include "python/type_name.hpp"
#include "runtime/api.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>
#include <string_view>

namespace pygpu {
namespace {

// A status of this module.
struct ErrorObject : StatusObject {
    StatusType *own() const { return static_cast<StatusType *>(kind); }
};

std::vector<StatusType *> &kinds() {
    static std::vector<StatusType *> all;
    return all;
}

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
    if (!name) return "unknown error code";
    char text[128];
    describe(name, text, sizeof text);
    return text;
}

PyObject *repr(PyObject *self) {
    return PyUnicode_FromFormat("<%s: code=%d>", error(self)->own()->name(), error(self)->code);
}

PyObject *str(PyObject *self) {
    return PyUnicode_FromFormat("%s: %s", name_of(error(self)).c_str(), message_of(error(self)).c_str());
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
    PyObject *given = arguments[0];
    if (Py_TYPE(given) == type) return Py_NewRef(given);
    const StatusType *other =
        StatusType::of(Py_TYPE(given)); // HIP's under CUDA's name, or the other way round
    if (other && &other->api() == &StatusType::of(type)->api()) {
        return StatusType::of(type)->get(error(given)->code);
    }
    Reference index(PyIndex_Check(given) && !is_bool(given) ? PyNumber_Index(given) : nullptr);
    if (!index) {
        PyErr_Clear();
        return PyErr_Format(PyExc_TypeError, "%s(): parameter 'code' must be an integer, not %.80s",
                            StatusType::of(type)->name(), type_description(given));
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
    return Py_BuildValue("(O(i))", reinterpret_cast<PyObject *>(Py_TYPE(self)), error(self)->code);
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

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

void destroy(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

// "NVRTC_ERROR_INVALID_INPUT" becomes "invalid input", "Z_BUF_ERROR" becomes "buf error". Empty for a name
// that isn't in capitals.
std::string words_of_capitals(std::string_view name) {
    const std::size_t error = name.find("ERROR_");
    if (error != name.npos)
        name.remove_prefix(error + 6);
    else if (name.ends_with("SUCCESS"))
        name.remove_prefix(name.size() - 7);
    else if (std::ranges::none_of(name, [](char one) { return one >= 'a' && one <= 'z'; }))
        name.remove_prefix(name.find('_') + 1); // without an underscore, the name stays whole
    else
        return "";
    std::string words(name);
    for (char &one : words)
        one = one == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(one)));
    return words;
}

} // namespace

void describe(const char *name, char *text, std::size_t size) {
    std::string words = words_of_capitals(name);
    const char *rest = std::strstr(name, "Error");
    rest = rest ? rest + 5 : name;
    if (!*rest || !std::strcmp(name + std::strcspn(name, "S"), "Success")) rest = "success";
    if (!words.empty()) rest = "";
    for (const char *at = rest; *at; ++at) {
        const bool upper = std::isupper(static_cast<unsigned char>(*at));
        const bool after_lower = at != rest && std::islower(static_cast<unsigned char>(at[-1]));
        const bool before_lower = at != rest && upper && std::islower(static_cast<unsigned char>(at[1]));
        if (upper && (after_lower || before_lower)) words += ' ';
        const bool acronym = upper && (std::isupper(static_cast<unsigned char>(at[1])) ||
                                       (at != rest && std::isupper(static_cast<unsigned char>(at[-1]))));
        words +=
            acronym && !before_lower ? *at : static_cast<char>(std::tolower(static_cast<unsigned char>(*at)));
    }
    std::strncpy(text, words.c_str(), size - 1);
    text[size - 1] = '\0';
}

const char *error_name(const StatusType &errors, int code) {
    const char *name = errors.code_name(code);
    return name ? name : "unrecognized error code";
}

const char *error_text(const StatusType &errors, int code) {
    const char *name = errors.code_name(code);
    if (!name) return "unrecognized error code";
    thread_local char text[128]; // handed out as the vendors do: valid until the thread's next call
    describe(name, text, sizeof text);
    return text;
}

bool StatusType::create() {
    const std::string doc =
        std::string(name_) + // the type copies it
        "(code)\n--\n\n"
        "A status code: one object for each code, false when it is success.\n\n"
        "It is equal to its int and to itself, and not to another API's. int() is the code. "
        "The names of codes are attributes, and members as an IntEnum's.\nIt can't be unpacked: err, = call() fails. No "
        "function takes it for a number or an address.\nRaises TypeError for what is no "
        "integer, OverflowError for what C's int can't hold.";
    PyType_Slot slots[] = {{Py_tp_repr, reinterpret_cast<void *>(repr)},
                           {Py_tp_str, reinterpret_cast<void *>(str)},
                           {Py_tp_hash, reinterpret_cast<void *>(hash)},
                           {Py_tp_richcompare, reinterpret_cast<void *>(compare)},
                           {Py_nb_bool, reinterpret_cast<void *>(truth)},
                           {Py_nb_int, reinterpret_cast<void *>(to_int)},
                           {Py_nb_index, reinterpret_cast<void *>(refuse_index)},
                           {Py_tp_iter, reinterpret_cast<void *>(refuse_iteration)},
                           {Py_tp_new, reinterpret_cast<void *>(create_error)},
                           {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
                           {Py_tp_getset, properties},
                           {Py_tp_methods, methods},
                           {Py_tp_doc, const_cast<char *>(doc.c_str())},
                           {0, nullptr}};
    PyType_Spec spec{type_name(module_, name_), sizeof(ErrorObject), 0, Py_TPFLAGS_DEFAULT, slots};
    Reference bases(PyTuple_Pack(1, status_base));
    if (!bases) return false;
    type_ = reinterpret_cast<PyTypeObject *>(PyType_FromSpecWithBases(&spec, bases.get()));
    if (!type_) return false;
    Reference api(PyUnicode_FromString(api_.name));
    if (!api || PyObject_SetAttrString(reinterpret_cast<PyObject *>(type_), "_api", api.get())) return false;
    kinds().push_back(this);
    dense_.resize(dense_limit, nullptr);
    for (const StatusCode &known : codes_) {
        PyObject *object = make(known.code);
        if (!object) return false;
        // Names that share a code share the object.
        PyObject *&slot = known.code >= 0 && known.code < dense_limit
                              ? dense_[static_cast<std::size_t>(known.code)]
                              : sparse_[known.code];
        if (slot)
            Py_DECREF(object);
        else
            slot = object;
        if (PyObject_SetAttrString(reinterpret_cast<PyObject *>(type_), known.name, slot)) return false;
    }
    success_ = dense_[0];
    return give_members(type_);
}

PyObject *StatusType::make(int code) {
    auto *object = PyObject_New(ErrorObject, type_);
    if (!object) return nullptr;
    object->kind = this;
    object->code = code;
    return reinterpret_cast<PyObject *>(object);
}

PyObject *StatusType::find(int code) {
    if (code >= 0 && code < dense_limit) {
        if (PyObject *known = dense_[static_cast<std::size_t>(code)]) return Py_NewRef(known);
    } else if (auto found = sparse_.find(code); found != sparse_.end()) {
        return Py_NewRef(found->second);
    }
    return make(code);
}

const char *StatusType::code_name(int code) const {
    auto found = std::ranges::lower_bound(codes_, code, {}, &StatusCode::code);
    return found != codes_.end() && found->code == code ? found->name : nullptr;
}

StatusType *StatusType::of(PyTypeObject *type) {
    for (StatusType *kind : kinds()) {
        if (kind->type_ == type) return kind;
    }
    return nullptr;
}

bool StatusType::check(PyObject *object) { return is_status_object(object); }

int StatusType::code_of(PyObject *self) { return error(self)->code; }

} // namespace pygpu
