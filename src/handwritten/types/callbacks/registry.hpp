// The Python callables that C may still call. Each has a token, which C carries as the user data.
//
// C never holds a Python object itself. A token that is no longer known is ignored, so a library that calls
// too often does no harm. All functions here need the GIL.
#pragma once

#include <Python.h>

#include <cstdint>

namespace pygpu {

class StatusType;

using Token = std::uintptr_t; // 0 is none

// A callable with its user data. It is a Python object, so that structs can share it and the garbage
// collector can traverse it. Its token is known as long as it lives. It lives at least as long as it is held
// for C.
struct Bound {
    PyObject_HEAD
    PyObject *callable; // null for user data that still waits for its callable
    PyObject *data;     // what the callable gets as its user data; null once cleared
    StatusType *errors; // the class of the statuses that it gets
    Token token;
    std::size_t holds; // how often it is held for C
    bool once;         // forgotten when it is called
};

// Null for an object of any other kind.
Bound *as_bound(PyObject *object);

// Makes a Bound that is not held for C. While it lives, the same callable and data give the same object
// again. Returns a new reference, or null with the exception set.
PyObject *bind(PyObject *callable, PyObject *data);

// The Bound of a token, a new reference. Null without an exception if the token is unknown.
PyObject *bound_to(Token token);

// Makes a new Bound that is held once, and returns its token; 0 with the exception set.
Token remember(PyObject *callable, PyObject *data, StatusType *errors, bool once);
void hold(Token token);   // adds a hold
void forget(Token token); // removes a hold

// What a call from C needs, as new references. Empty if the token is unknown.
struct Called {
    PyObject *callable = nullptr;
    PyObject *data = nullptr;
    StatusType *errors = nullptr;

    void drop(); // both references
};
Called recall(Token token);

// Stores the token of a registered callable under the handle that ends the registration, and forgets it
// again.
void remember_handle(const void *handle, Token token);
void forget_handle(const void *handle);

} // namespace pygpu
