// Puts the exception that is set aside for a while: finalisers run anywhere.
#pragma once

#include <Python.h>

namespace pygpu {

// From here to the end of the scope no exception is set; then the one that was is set again.
class ExceptionAside {
public:
    ExceptionAside() {
        if (PyErr_Occurred()) PyErr_Fetch(&type_, &value_, &traceback_);
    }
    ExceptionAside(const ExceptionAside &) = delete;
    ExceptionAside &operator=(const ExceptionAside &) = delete;
    ~ExceptionAside() { // nearly always there was none, and there is none: asking is quicker than setting
        if (type_ || PyErr_Occurred()) PyErr_Restore(type_, value_, traceback_);
    }

private:
    PyObject *type_ = nullptr, *value_ = nullptr, *traceback_ = nullptr;
};

} // namespace pygpu
