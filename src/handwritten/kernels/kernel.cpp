// The Python types of kernels: called with keywords, or configured by brackets first.
#include "kernels/kernel.hpp"

#include "arrays/exchange/device.hpp"
#include "kernels/configuration.hpp"
#include "python/heap_type.hpp"
#include "python/keywords.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <structmember.h>
#include <utility>

namespace pygpu::kernels {
namespace {

struct KernelObject {
    PyObject_HEAD
    vectorcallfunc call;
    Kernel kernel;
};

// What `kernel[grid, block]` gives.
struct ConfiguredObject {
    PyObject_HEAD
    vectorcallfunc call;
    Reference owner; // a KernelObject
    Configuration how;
};

PyTypeObject *kernel_type = nullptr, *configured_type = nullptr;

Kernel &kernel_of(PyObject *self) { return reinterpret_cast<KernelObject *>(self)->kernel; }
ConfiguredObject &configured_of(PyObject *self) { return *reinterpret_cast<ConfiguredObject *>(self); }

PyObject *call_kernel(PyObject *self, PyObject *const *args, std::size_t flagged, PyObject *keywords) {
    const Kernel &kernel = kernel_of(self);
    const Py_ssize_t count = PyVectorcall_NARGS(flagged);
    Configuration how;
    for (Py_ssize_t at = 0; keywords && at < PyTuple_GET_SIZE(keywords); ++at) {
        if (!load_keyword(kernel.name.c_str(), PyTuple_GET_ITEM(keywords, at), args[count + at], how))
            return nullptr;
    }
    return launch(kernel, how, args, count);
}

PyObject *call_configured(PyObject *self, PyObject *const *args, std::size_t flagged, PyObject *keywords) {
    const ConfiguredObject &configured = configured_of(self);
    const Kernel &kernel = kernel_of(configured.owner.get());
    if (keywords && PyTuple_GET_SIZE(keywords)) {
        return PyErr_Format(PyExc_TypeError,
                            "%s[...]() takes no keywords: a kernel's arguments have no names",
                            kernel.name.c_str());
    }
    return launch(kernel, configured.how, args, PyVectorcall_NARGS(flagged));
}

template <class Function> bool load_address(PyObject *object, Function &function) {
    void *address = object == Py_None ? nullptr : PyLong_AsVoidPtr(object);
    function = reinterpret_cast<Function>(address);
    return !PyErr_Occurred();
}

// Kernels are handles of the driver's, too (types/handles/handle_class.hpp).
bool tell_struct(const arrays::Runtime &runtime) {
    static bool registered = false; // a process has one runtime for its arrays and kernels
    if (registered) return true;
    const Reference tag(PyUnicode_FromString(runtime.kernel_struct));
    if (!tag || PyDict_SetItemString(kernel_type->tp_dict, "_c_struct_", tag.get())) return false;
    PyType_Modified(kernel_type);
    return registered = true;
}

PyObject *construct(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    const Arguments arguments(
        "Kernel()",
        {"code", "name", "function", "launchers", "most_threads", "parameters", "of_all_contexts"}, args,
        kwargs, 5);
    if (!arguments) return nullptr;
    if (!code_object(arguments[0]) || !PyUnicode_Check(arguments[1]) || !PyTuple_Check(arguments[3]) ||
        PyTuple_GET_SIZE(arguments[3]) != 5) {
        PyErr_SetString(PyExc_TypeError, "Kernel() is made by a module: module[\"name\"]");
        return nullptr;
    }
    const char *text = PyUnicode_AsUTF8(arguments[1]);
    if (!text || !tell_struct(*code_object(arguments[0])->runtime)) return nullptr;
    PyObject *self = type->tp_alloc(type, 0);
    if (!self) return nullptr;
    Reference owned(self);
    reinterpret_cast<KernelObject *>(self)->call = call_kernel;
    Kernel &kernel = *new (&kernel_of(self)) Kernel;
    kernel.code = Reference::borrow(arguments[0]);
    kernel.name = text;
    kernel.call = kernel.name + "()";
    kernel.place = kernel.name + "(): argument";
    kernel.function = PyLong_AsVoidPtr(arguments[2]);
    if (PyErr_Occurred() || !load_address(PyTuple_GET_ITEM(arguments[3], 0), kernel.launchers.plain) ||
        !load_address(PyTuple_GET_ITEM(arguments[3], 1), kernel.launchers.cooperative) ||
        !load_address(PyTuple_GET_ITEM(arguments[3], 2), kernel.launchers.clusters) ||
        !load_address(PyTuple_GET_ITEM(arguments[3], 3), kernel.launchers.get_device) ||
        !load_address(PyTuple_GET_ITEM(arguments[3], 4), kernel.launchers.get_capturing))
        return nullptr;
    kernel.most_threads = static_cast<unsigned>(PyLong_AsUnsignedLong(arguments[4]));
    if (PyErr_Occurred()) return nullptr;
    if (arguments.unless_none(5)) {
        if (!load_parameters(arguments[5], kernel.known.emplace())) return nullptr;
        kernel.parameters = kernel.known;
    }
    if (arguments.unless_none(6)) kernel.of_all_contexts = Reference::borrow(arguments[6]);
    return owned.release();
}

bool same_sizes(const char *name, const std::vector<Parameter> &known,
                const std::vector<Parameter> &declared) {
    const auto size = [](const Parameter &one) { return one.size; };
    if (std::ranges::equal(declared, known, {}, size, size)) return true;
    std::string sizes;
    for (const Parameter &one : known) sizes += (sizes.empty() ? "" : ", ") + std::to_string(one.size);
    PyErr_Format(PyExc_ValueError, "prepare(): the parameters of %s() have other sizes: %s bytes", name,
                 sizes.c_str());
    return false;
}

// Adds what is known to declared parameters. False with ValueError set where they contradict it.
bool join_all(const char *name, const std::vector<Parameter> &known, std::vector<Parameter> &declared) {
    for (std::size_t at = 0; at < known.size(); ++at) {
        if (join(known[at], declared[at])) continue;
        PyErr_Format(PyExc_ValueError, "prepare(): parameter %zu of %s() is %s of %zu bytes, not %s", at,
                     name, described(known[at].holds), known[at].size, described(declared[at].holds));
        return false;
    }
    return true;
}

// Sets the parameters. They must agree with what the code declares.
PyObject *declare(PyObject *self, PyObject *list) {
    Kernel &kernel = kernel_of(self);
    std::vector<Parameter> parameters;
    if (!load_parameters(list, parameters)) return nullptr;
    const char *name = kernel.name.c_str();
    if (kernel.parameters && !same_sizes(name, *kernel.parameters, parameters)) return nullptr;
    if (kernel.known && !join_all(name, *kernel.known, parameters)) return nullptr;
    if (kernel.parameters) // in place: a launch may be reading them
        std::ranges::copy(parameters, kernel.parameters->begin());
    else
        kernel.parameters = std::move(parameters);
    Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"declare", declare, METH_O,
     "declare($self, parameters, /)\n--\n\nSets the parameters: tuples (size, kind, signed). Raises ValueError if "
     "they differ from what the code tells."},
    {nullptr, nullptr, 0, nullptr}};

PyObject *configure(PyObject *self, PyObject *items) {
    PyObject *object = configured_type->tp_alloc(configured_type, 0);
    if (!object) return nullptr;
    Reference owned(object);
    ConfiguredObject &configured = configured_of(object);
    configured.call = call_configured;
    new (&configured.owner) Reference(Py_NewRef(self));
    new (&configured.how) Configuration;
    return load_positional(kernel_of(self).name.c_str(), items, configured.how) ? owned.release() : nullptr;
}

int traverse_configured(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(configured_of(self).owner.get());
    Py_VISIT(configured_of(self).how.stream.get());
    return 0;
}

void destroy_configured(PyObject *self) {
    PyObject_GC_UnTrack(self);
    destroy_plain<ConfiguredObject>(self);
}

PyObject *repr(PyObject *self) {
    return PyUnicode_FromFormat("<PyGPU.Kernel %s>", kernel_of(self).name.c_str());
}

PyObject *repr_configured(PyObject *self) {
    const ConfiguredObject &object = configured_of(self);
    const Dimensions &grid = object.how.grid, &block = object.how.block;
    return PyUnicode_FromFormat("<PyGPU.Kernel %s[(%u, %u, %u), (%u, %u, %u)]>",
                                kernel_of(object.owner.get()).name.c_str(), grid[0], grid[1], grid[2],
                                block[0], block[1], block[2]);
}

PyObject *get_name(PyObject *self, void *) {
    const std::string &name = kernel_of(self).name;
    return PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
}
PyObject *get_code(PyObject *self, void *) { return Py_NewRef(kernel_of(self).code.get()); }
PyObject *get_handle(PyObject *self, void *) { return PyLong_FromVoidPtr(kernel_of(self).function); }
// The handle, for C.
PyObject *number(PyObject *self) {
    const Kernel &kernel = kernel_of(self);
    return code_object(kernel.code.get())->check(kernel.call.c_str()) ? get_handle(self, nullptr) : nullptr;
}

// Its other handle, for the runtime's graphs, which refuse a function (types/handles/handle_class.hpp).
PyObject *get_of_all_contexts(PyObject *self, void *) {
    const Kernel &kernel = kernel_of(self);
    if (!code_object(kernel.code.get())->check(kernel.call.c_str())) return nullptr;
    return Py_NewRef(kernel.of_all_contexts ? kernel.of_all_contexts.get() : Py_None);
}

PyObject *get_most_threads(PyObject *self, void *) {
    return PyLong_FromUnsignedLong(kernel_of(self).most_threads);
}

PyGetSetDef properties[] = {
    {"name", get_name, nullptr, "The name under which the code has it.", nullptr},
    {"code", get_code, nullptr, "The loaded code that it belongs to.", nullptr},
    {"handle", get_handle, nullptr, "The driver's function (CUfunction, hipFunction_t), as an int.", nullptr},
    {"_c_kernel_", get_of_all_contexts, nullptr, "The library's kernel (a CUkernel), or None.", nullptr},
    {"max_threads_per_block", get_most_threads, nullptr, "The most threads that a block may have.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

template <class Object>
PyMemberDef vectorcall_member = {"__vectorcalloffset__", T_PYSSIZET, offsetof(Object, call), READONLY,
                                 nullptr};

PyTypeObject *make_kernel_type() {
    PyMemberDef members[] = {vectorcall_member<KernelObject>, {nullptr, 0, 0, 0, nullptr}};
    const TypeTable table{.create = construct,
                          .destroy = destroy_plain<KernelObject>,
                          .repr = repr,
                          .call = PyVectorcall_Call,
                          .number = number,
                          .subscript = configure,
                          .methods = methods,
                          .properties = properties,
                          .members = members,
                          .doc = "Kernel(code, name, function, launchers, most_threads, parameters=None, "
                                 "of_all_contexts=None)\n--\n\n"
                                 "A function of loaded code; made by PyGPU.Module."};
    return make_type("PyGPU._core.kernels.Kernel", sizeof(KernelObject),
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL, table);
}

PyTypeObject *make_configured_type() {
    PyMemberDef members[] = {vectorcall_member<ConfiguredObject>, {nullptr, 0, 0, 0, nullptr}};
    const TypeTable table{.destroy = destroy_configured,
                          .traverse = traverse_configured,
                          .repr = repr_configured,
                          .call = PyVectorcall_Call,
                          .members = members,
                          .doc = "What kernel[grid, block, stream, shared] gives: called with "
                                 "the kernel's arguments."};
    return make_type("PyGPU._core.kernels.ConfiguredKernel", sizeof(ConfiguredObject),
                     Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                     table);
}

} // namespace

const Kernel *kernel_in(PyObject *object) {
    return PyObject_TypeCheck(object, kernel_type) ? &kernel_of(object) : nullptr;
}

bool add_kernel_types(PyObject *module) {
    PyTypeObject *code = code_type();
    if (!kernel_type) kernel_type = make_kernel_type();
    if (!configured_type) configured_type = make_configured_type();
    return code && kernel_type && configured_type &&
           !PyModule_AddObjectRef(module, "Code", reinterpret_cast<PyObject *>(code)) &&
           !PyModule_AddObjectRef(module, "Kernel", reinterpret_cast<PyObject *>(kernel_type)) &&
           !PyModule_AddObjectRef(module, "ConfiguredKernel", reinterpret_cast<PyObject *>(configured_type));
}

} // namespace pygpu::kernels
