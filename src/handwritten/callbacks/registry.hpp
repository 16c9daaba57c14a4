// The Python callables that C may still call, each under a token that C carries as its user data.
//
// C never holds a Python object itself: a token that is no longer known is ignored, so that a library which
// calls once too often does no harm. Everything here wants the GIL.
#pragma once

#include <Python.h>

#include <cstdint>

namespace pygpu {

class ErrorType;

using Token = std::uintptr_t; // 0 is none

struct Called {
    PyObject *callable = nullptr;
    PyObject *data = nullptr;    // what the callable gets in the place of its user data
    ErrorType *errors = nullptr; // of what kind the statuses are that it gets
    bool once = false;           // forgotten when it is called

    void drop(); // both references
};

// Keeps both objects until the token is forgotten.
Token remember(PyObject *callable, PyObject *data, ErrorType *errors, bool once);
// References of the caller's own to what stands behind a token; nothing where it is unknown.
Called recall(Token token);
void forget(Token token);

// The handle by which a registered callable is given up again, and the giving up.
void remember_handle(const void *handle, Token token);
void forget_handle(const void *handle);

} // namespace pygpu
