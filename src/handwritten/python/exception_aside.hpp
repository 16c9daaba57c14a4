// Sets the current exception aside for a while. Finalisers need that, because they may run while one is set.
#pragma once

#include <Python.h>

namespace pygpu {

// No exception is set until the end of the scope. Then the earlier one is set again.
class ExceptionAside {
public:
    ExceptionAside() {
        if (PyErr_Occurred()) PyErr_Fetch(&type_, &value_, &traceback_);
    }
    ExceptionAside(const ExceptionAside &) = delete;
    ExceptionAside &operator=(const ExceptionAside &) = delete;
    ~ExceptionAside() { // nearly always there is no exception, and asking is quicker than setting
        if (type_ || PyErr_Occurred()) PyErr_Restore(type_, value_, traceback_);
    }

private:
    PyObject *type_ = nullptr, *value_ = nullptr, *traceback_ = nullptr;
};

} // namespace pygpu
