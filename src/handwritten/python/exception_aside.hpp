// Puts the exception that is set aside for a while: finalisers run anywhere.
#pragma once

#include <Python.h>

namespace pygpu {

// From here to the end of the scope no exception is set; then the one that was is set again.
class ExceptionAside {
public:
    ExceptionAside() { PyErr_Fetch(&type_, &value_, &traceback_); }
    ExceptionAside(const ExceptionAside &) = delete;
    ExceptionAside &operator=(const ExceptionAside &) = delete;
    ~ExceptionAside() { PyErr_Restore(type_, value_, traceback_); }

private:
    PyObject *type_, *value_, *traceback_;
};

} // namespace pygpu
