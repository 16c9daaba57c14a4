// Entering and leaving a scope of internal calls.
#include "arrays/base/scope.hpp"

#include "binding/argument_errors.hpp"
#include "convert/memory.hpp"
#include "python/exit.hpp"
#include "python/reference.hpp"
#include "runtime/api.hpp"
#include "runtime/generation.hpp"

namespace pygpu::arrays {

Scope::Scope(const Runtime &runtime, int device, Calls calls)
    : runtime_(runtime), guard_(runtime.api.own, calls) {
    status_ = (*this)(runtime.get_device(&device_));
    if (status_) return;
    before_ = device_;
    if (waits_may_never_end())
        status_ = runtime.codes.not_permitted;
    else if (device != current)
        status_ = change(device);
}

int Scope::change(int device) {
    if (device == device_) return success;
    const int status = (*this)(runtime_.set_device(device));
    if (!status) device_ = device;
    return status;
}

void Scope::suspend() {
    if (device_ != before_) (*this)(runtime_.set_device(before_));
}

int Scope::resume() {
    (*this)(runtime_.get_device(&before_));
    return device_ == before_ ? success : (*this)(runtime_.set_device(device_));
}

Scope::~Scope() {
    if (device_ != before_) (*this)(runtime_.set_device(before_));
}

bool load_device(PyObject *object, const char *call, int &device) {
    device = Scope::current;
    if (!object || object == Py_None) return true;
    if (!is_number(object)) {
        PyErr_Format(PyExc_TypeError, "%s: parameter 'device' must be an int or None, not %.80s", call,
                     type_description(object));
        return false;
    }
    Reference index(PyNumber_Index(object));
    if (!index) return false;
    const long number = PyLong_AsLong(index.get());
    if (number == -1 && PyErr_Occurred()) return false;
    if (number >= 0 && number < most_devices) {
        device = static_cast<int>(number);
        return true;
    }
    PyErr_Format(PyExc_ValueError, "%s: there is no device %ld", call, number);
    return false;
}

} // namespace pygpu::arrays
