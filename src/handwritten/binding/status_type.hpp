// Status codes as objects: one immutable, interned object for each code of an API.
#pragma once

#include <Python.h>

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace pygpu {

struct Api;

struct StatusCode {
    int code;
    const char *name;
};

// A class of statuses (`cudaError`, `hipError`). A code that no header knows gets a new object each time.
class StatusType {
public:
    // `codes` are sorted; the vendor's own text comes from the library of `api`, once loaded.
    StatusType(Api &api, const char *module, const char *name, std::span<const StatusCode> codes)
        : api_(api), module_(module), name_(name), codes_(codes) {}

    // Takes over its class (status_class.hpp), and makes the objects of the known codes, which become
    // attributes of the class. False with an exception set.
    bool adopt(PyTypeObject *type);
    // A new reference.
    PyObject *get(int code) { return code ? find(code) : Py_NewRef(success_); }

    PyTypeObject *type() const { return type_; }
    Api &api() const { return api_; }
    const char *module() const { return module_; }
    const char *name() const { return name_; }
    std::span<const StatusCode> codes() const { return codes_; }
    const char *code_name(int code) const; // nullptr where no header knows the code

    static StatusType *of(PyTypeObject *type); // nullptr for a type that is none of ours
    static bool check(PyObject *object);       // whether it is a status, of any extension module
    static int code_of(PyObject *error);

private:
    PyObject *find(int code);
    PyObject *make(int code);

    Api &api_;
    const char *module_;
    const char *name_;
    std::span<const StatusCode> codes_;
    PyTypeObject *type_ = nullptr;
    PyObject *success_ = nullptr;   // dense_[0]
    std::vector<PyObject *> dense_; // by code, for codes below dense_limit
    std::unordered_map<int, PyObject *> sparse_;
    static constexpr int dense_limit = 1100;
};

// Set by the generated types for the enum that is the API's status.
template <class T> inline constexpr bool is_status = false;

} // namespace pygpu
