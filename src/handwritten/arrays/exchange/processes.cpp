// Memory between processes, as PyGPU.ipc asks for it.
#include "arrays/exchange/processes.hpp"

#include "arrays/exchange/handover.hpp"
#include "arrays/memory/allocate.hpp"
#include "arrays/memory/buffer.hpp"
#include "arrays/memory/device_memory.hpp"
#include "arrays/streams/argument.hpp"
#include "binding/argument_errors.hpp"
#include "convert/sizes.hpp"
#include "python/gil.hpp"
#include "python/keywords.hpp"
#include "python/reference.hpp"
#include "runtime/generation.hpp"

#include <memory>

namespace pygpu::arrays {
namespace {

// Memory that is of no pool, because cudaIpcGetMemHandle takes no other.
PyObject *plain_memory(PyObject *, PyObject *argument) {
    const char *call = "ipc.allocator()";
    Py_ssize_t size = 0;
    const Runtime *runtime = load_size(argument, call, "size", size) ? arrays::runtime() : nullptr;
    if (!runtime) return nullptr;
    const auto bytes = static_cast<std::size_t>(size);
    void *pointer = nullptr;
    int status = success, device = 0;
    {
        GilReleased released(true);
        Scope scope(*runtime);
        status = scope.status();
        if (!status && bytes) status = scope(runtime->malloc(&pointer, bytes));
        device = scope.device();
    }
    if (status) return raise_allocation(*runtime, status, call, bytes);
    const Retained<Buffer> buffer = Buffer::make(*runtime, Buffer::Kind::plain, pointer, bytes, device);
    return buffer ? make_device_memory(buffer) : nullptr;
}

// Memory of another process. A fork, a reset and the end of the program end its mapping without a call.
struct Lender {
    Reference end;
    int device;
    DeviceGeneration generation;
};

void give_back(void *what) {
    const std::unique_ptr<Lender> lender(static_cast<Lender *>(what));
    if (lender->generation != generation_of(lender->device) || interpreter_is_finalising()) return;
    if (!Reference(PyObject_CallNoArgs(lender->end.get()))) PyErr_WriteUnraisable(lender->end.get());
}

// _lent_memory(address, size, device, end, readonly): memory that `end()` gives back after its last use.
PyObject *lent_memory(PyObject *, PyObject *args) {
    unsigned long long address = 0;
    Py_ssize_t size = 0;
    int device = 0;
    PyObject *end = nullptr;
    int readonly = 0;
    if (!PyArg_ParseTuple(args, "KniOp", &address, &size, &device, &end, &readonly)) return nullptr;
    const Runtime *runtime = arrays::runtime();
    if (!runtime) return nullptr;
    Loan loan(give_back, new Lender{Reference::borrow(end), device, generation_of(device)});
    const Retained<Buffer> buffer =
        Buffer::make(*runtime, Buffer::Kind::lent, reinterpret_cast<void *>(address),
                     static_cast<std::size_t>(size), device, stream_on(current_stream(), device));
    if (!buffer) return nullptr;
    buffer->readonly = readonly;
    buffer->keep_loan(std::move(loan));
    return make_device_memory(buffer);
}

// The memory of a DeviceMemory; null with TypeError set for any other object.
Buffer *memory_of(const char *call, PyObject *object) {
    char *begin = nullptr;
    Buffer *buffer = device_memory_buffer(object, begin);
    if (!buffer)
        PyErr_Format(PyExc_TypeError, "%s: a DeviceMemory is needed, not %.80s", call,
                     type_description(object));
    return buffer;
}

// _is_readonly(memory): whether its lender allows only reading.
PyObject *is_readonly(PyObject *, PyObject *memory) {
    const Buffer *buffer = memory_of("ipc.share()", memory);
    return buffer ? PyBool_FromLong(buffer->readonly) : nullptr;
}

// _order_export(memory, stream): the stream comes after all work that is queued on the memory.
PyObject *order_stream(PyObject *, PyObject *args) {
    const char *call = "ipc.share()";
    PyObject *memory = nullptr, *argument = nullptr;
    StreamArgument stream;
    if (!PyArg_ParseTuple(args, "OO", &memory, &argument)) return nullptr;
    Buffer *buffer = memory_of(call, memory);
    if (!buffer || !buffer->check(call) || !load_stream(argument, call, stream)) return nullptr;
    const int status = order_export(*buffer, stream.stream);
    if (status) return raise_status(buffer->runtime, status, "%s", call);
    Py_RETURN_NONE;
}

// _order_import(memory, event): the memory's stream waits for an event.
PyObject *wait_for_event(PyObject *, PyObject *args) {
    const char *call = "ipc.open()";
    PyObject *memory = nullptr;
    unsigned long long event = 0;
    if (!PyArg_ParseTuple(args, "OK", &memory, &event)) return nullptr;
    const Buffer *buffer = memory_of(call, memory);
    if (!buffer) return nullptr;
    const Stream home = buffer->home(); // read with the GIL
    int status = success;
    {
        GilReleased released(true);
        Scope scope(buffer->runtime, buffer->device);
        status = scope.status();
        if (!status) status = scope(buffer->runtime.stream_wait(home, reinterpret_cast<Event>(event)));
    }
    if (status) return raise_status(buffer->runtime, status, "%s", call);
    Py_RETURN_NONE;
}

PyMethodDef functions[] = {{"_plain_memory", plain_memory, METH_O, nullptr},
                           {"_lent_memory", lent_memory, METH_VARARGS, nullptr},
                           {"_is_readonly", is_readonly, METH_O, nullptr},
                           {"_order_export", order_stream, METH_VARARGS, nullptr},
                           {"_order_import", wait_for_event, METH_VARARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

} // namespace

bool add_process_functions(PyObject *module) { return !PyModule_AddFunctions(module, functions); }

} // namespace pygpu::arrays
