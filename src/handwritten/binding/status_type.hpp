// Status codes as objects: one immutable, interned object for each code of an API.
#pragma once

#include <Python.h>

#include <cstdint>
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
    // A new reference. A number of status_number() gives an object with the second code.
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
    static int number_of(PyObject *error); // what get() takes for an equal object

private:
    PyObject *find(int code);
    PyObject *make(int code, int detail = 0);

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
// Where C's status is a struct of two codes, the first code beside which the second one says more.
template <class T> inline constexpr int detailed_code = 0;

inline constexpr int detail_shift = 16; // where a number holds the second code

// A status as a number: the code. Of two codes it's the first, and only the one with details has the second,
// too.
template <class T> int status_number(T status) {
    const int code = static_cast<int>(status);
    if constexpr (detailed_code<T> != 0) {
        const std::uint64_t detail = static_cast<std::uint64_t>(status) >> 32;
        if (code == detailed_code<T> && !(detail >> (31 - detail_shift)))
            return code | static_cast<int>(detail) << detail_shift;
    }
    return code;
}

} // namespace pygpu
