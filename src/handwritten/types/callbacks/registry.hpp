// The Python callables that C may still call, each under a token that C carries as its user data.
//
// C never holds a Python object itself: a token that is no longer known is ignored, so that a library which
// calls once too often does no harm. Everything here wants the GIL.
#pragma once

#include <Python.h>

#include <cstdint>

namespace pygpu {

class StatusType;

using Token = std::uintptr_t; // 0 is none

// A callable with its user data: a Python object, which structs share and the collector sees through. Its
// token is known while it lives, and it lives at least as long as it is held for C.
struct Bound {
    PyObject_HEAD
    PyObject *callable; // null for user data that still waits for its callable
    PyObject *data;     // what the callable gets as its user data; null once cleared
    StatusType *errors; // of what kind the statuses are that it gets
    Token token;
    std::size_t holds; // how often it is held for C
    bool once;         // given up when it is called
};

// Null for an object of any other kind.
Bound *as_bound(PyObject *object);

// New and not yet held for C; the same object again for the same two while it lives. Null with the exception
// set.
PyObject *bind(PyObject *callable, PyObject *data);

// What stands behind a token, a new reference; null without an exception where it is unknown.
PyObject *bound_to(Token token);

// Binds anew and holds it once; 0 with the exception set.
Token remember(PyObject *callable, PyObject *data, StatusType *errors, bool once);
void hold(Token token);   // once more
void forget(Token token); // once less

// What a call from C needs, as references of its own; nothing where the token is unknown.
struct Called {
    PyObject *callable = nullptr;
    PyObject *data = nullptr;
    StatusType *errors = nullptr;

    void drop(); // both references
};
Called recall(Token token);

// The handle by which a registered callable is given up again, and the giving up.
void remember_handle(const void *handle, Token token);
void forget_handle(const void *handle);

} // namespace pygpu
