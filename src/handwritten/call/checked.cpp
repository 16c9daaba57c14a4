// Raising GPUError.
#include "call/checked.hpp"

#include "binding/mode.hpp"
#include "binding/status_type.hpp"
#include "python/package.hpp"
#include "python/reference.hpp"
#include "runtime/api.hpp"

namespace pygpu {

PyObject *raise_status(const BindingMode &mode, const FunctionRecord &record, PyObject *error,
                       PyObject *values) {
    Reference status(error), results(values);
    if (!status || !results) return nullptr;
    return raise_object(call_in_package(package::gpu_error, "(OOss)", status.get(), results.get(),
                                        shown(mode, record).name, record.api.name));
}

PyObject *ready_or_raise(const BindingMode &mode, const FunctionRecord &record, int status) {
    if (status == 0) Py_RETURN_TRUE;
    if (status == record.api.statuses.not_ready) Py_RETURN_FALSE;
    return raise_status(mode, record, mode.errors->get(status), PyTuple_New(0));
}

} // namespace pygpu
