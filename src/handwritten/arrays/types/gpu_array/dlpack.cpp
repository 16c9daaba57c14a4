// __dlpack__() and __dlpack_device__().
#include "arrays/base/numpy.hpp"
#include "arrays/exchange/device.hpp"
#include "arrays/exchange/handover.hpp"
#include "arrays/types/gpu_array/exchange.hpp"
#include "arrays/types/gpu_array/operation.hpp"
#include "python/keywords.hpp"

namespace pygpu::arrays {
namespace {

constexpr const char *call = "GPUArray.__dlpack__()";

enum class CopyArgument : unsigned char { never, if_needed, always };

bool load_copy(PyObject *argument, CopyArgument &copy) {
    copy = CopyArgument::if_needed;
    if (!argument || argument == Py_None) return true;
    const int asked = PyObject_IsTrue(argument);
    copy = asked ? CopyArgument::always : CopyArgument::never;
    return asked >= 0;
}

// `dl_device`: the array's own unless given.
bool load_target(PyObject *argument, DLDevice &device) {
    if (!argument || argument == Py_None) return true;
    int type = 0, number = 0;
    if (!PyTuple_Check(argument) || !PyArg_ParseTuple(argument, "ii", &type, &number)) {
        PyErr_Format(PyExc_TypeError, "%s: parameter 'dl_device' must be a tuple of two ints, not %R", call,
                     argument);
        return false;
    }
    device = {static_cast<DLDeviceType>(type), static_cast<std::int32_t>(number)};
    return true;
}

// A copy of the elements on the host, after all work on them is done.
PyObject *on_host(PyObject *self, PyObject *max_version) {
    static PyObject *const name = PyUnicode_InternFromString("get");
    const Reference values(PyObject_CallMethodNoArgs(self, name));
    HostArray host;
    if (!values || !host.load(values.get(), false)) return nullptr;
    const Layout &layout = host.layout;
    return lend_capsule({nullptr,
                         values.get(),
                         host.data,
                         layout.axes,
                         layout.shape,
                         layout.strides,
                         layout.itemsize,
                         host.dtype.get(),
                         {kDLCPU, 0},
                         true},
                        max_version);
}

// Makes the capsule, and orders the memory for the consumer.
PyObject *lend(PyObject *self, const Consumer &consumer, PyObject *max_version, bool copied) {
    const Array &array = array_of(self);
    Buffer &buffer = *array.buffer;
    Exported exported = arrays::exported(array);
    exported.copied = copied;
    Reference capsule(lend_capsule(exported, max_version));
    if (!capsule) return nullptr;
    int status = success;
    if (!consumer.is_ordered)
        buffer.let_be_used_anywhere();
    else
        status = buffer.runtime.on_host ? wait_for_export(buffer) : order_export(buffer, consumer.stream);
    return status ? raise_status(buffer.runtime, status, "%s", call) : capsule.release();
}

} // namespace

Exported exported(const Array &array) {
    return {array.buffer,   nullptr,       array.data,
            array.axes(),   array.shape(), array.strides(),
            array.itemsize, array.dtype,   dlpack_device(*array.buffer)};
}

// __dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)
PyObject *dlpack(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Arguments values(call, {"stream", "max_version", "dl_device", "copy"}, args, count, keywords, 0);
    const Buffer &buffer = *array_of(self).buffer;
    if (!values) return nullptr;
    if (count) return PyErr_Format(PyExc_TypeError, "%s takes keywords only", call);
    const DLDevice own = dlpack_device(buffer);
    DLDevice target = own;
    Consumer consumer;
    CopyArgument copy;
    if (!buffer.check_exists(call) || !load_target(values[2], target) || !load_copy(values[3], copy))
        return nullptr;
    const bool elsewhere = target.device_type != own.device_type || target.device_id != own.device_id;
    if (elsewhere && (target.device_type != kDLCPU || copy == CopyArgument::never))
        return PyErr_Format(PyExc_BufferError,
                            "%s: the memory is of DLPack's device (%d, %d), not (%d, %d)%s", call,
                            own.device_type, own.device_id, target.device_type, target.device_id,
                            target.device_type == kDLCPU ? ", where only a copy can be" : "");
    if (elsewhere) return on_host(self, values[1]);
    if (!load_consumer(buffer.runtime, values[0], call, consumer)) return nullptr;
    if (copy != CopyArgument::always) return lend(self, consumer, values[1], false);
    const Reference copied(compact_copy(self, 'K', current_stream(), false, call));
    return copied ? lend(copied.get(), consumer, values[1], true) : nullptr;
}

PyObject *dlpack_device(PyObject *self, PyObject *) {
    const DLDevice device = dlpack_device(*array_of(self).buffer);
    return Py_BuildValue("(ii)", static_cast<int>(device.device_type), static_cast<int>(device.device_id));
}

} // namespace pygpu::arrays
