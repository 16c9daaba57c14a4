// Calls of elementwise functions: reading operands, choosing the kernel, making results, and the launch.
#include "kernels/elementwise.hpp"

#include "arrays/base/scope.hpp"
#include "arrays/streams/argument.hpp"
#include "arrays/types/gpu_array/array.hpp"
#include "kernels/elementwise_types.hpp"
#include "kernels/kernel.hpp"
#include "kernels/launch.hpp"
#include "kernels/operands.hpp"
#include "python/heap_type.hpp"
#include "python/keywords.hpp"
#include "types/launch/short_array.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <structmember.h>
#include <utility>

namespace pygpu::kernels {
namespace {

using arrays::Buffer;
using arrays::Layout;

// How Python calls it.
enum class Form : unsigned char { function, loop, forward, comparison, reflected, in_place };

struct ElementwiseObject {
    PyObject_HEAD
    vectorcallfunc call;
    ElementwiseTypes types;
    Reference name_object;
    std::string name; // "add()"
    int inputs, outputs;
    Form form;
};

PyTypeObject *elementwise_type = nullptr;

ElementwiseObject &elementwise_of(PyObject *self) { return *reinterpret_cast<ElementwiseObject *>(self); }

// The part of memory that all elements of an array lie in is used by the call.
using Uses = ShortArray<Buffer::Using, most_operands>;

// A number as the kernel takes it.
struct alignas(16) Scalar {
    std::byte bytes[16];
};

// One call, step by step. Each step returns false with an exception set.
class Call {
public:
    Call(ElementwiseObject &of, PyObject *stream) : of_(of), stream_(stream ? stream : Py_None) {}

    Operands operands;
    std::uint64_t start = 0, step = 1, range = 0; // of a loop over a part of the elements
    bool ranged = false;

    // `known` is false if an input is neither an array nor a number.
    bool load_inputs(PyObject *const *objects, Py_ssize_t count, bool &known) {
        if (of_.outputs + count > most_operands) {
            PyErr_Format(PyExc_TypeError, "%s takes at most %d arrays and numbers", of_.name.c_str(),
                         most_operands - of_.outputs);
            return false;
        }
        operands.count = of_.outputs;
        known = true;
        for (Py_ssize_t at = 0; at < count && known; ++at)
            if (!load_operand(objects[at], of_.name.c_str(), stream_, operands.all[next()], known))
                return false;
        return true;
    }

    bool load_output(int at, PyObject *object) {
        if (object == Py_None) return true;
        if (!arrays::is_array(object)) {
            PyErr_Format(PyExc_TypeError, "%s: parameter 'out' must be a GPUArray, not %.80s",
                         of_.name.c_str(), Py_TYPE(object)->tp_name);
            return false;
        }
        Operand &operand = operands.all[static_cast<std::size_t>(at)];
        operand.owner = Reference::borrow(object);
        operand.array = &arrays::array_of(object);
        return operand.array->buffer->check_writable(of_.name.c_str());
    }

    // Runs it, and returns the results, or None.
    PyObject *run() {
        const char *name = of_.name.c_str();
        const Operand *first = operands.first_array();
        if (!first) return PyErr_Format(PyExc_TypeError, "%s needs an array on a device", name);
        device_ = first->array->buffer->device;
        if (!check_operands() || !find_types() || !check_elements()) return nullptr;
        Layout shape;
        if (of_.form == Form::loop ? !load_loop_shape(shape) : !load_shape(shape)) return nullptr;
        return launch_on(shape);
    }

private:
    std::size_t next() { return static_cast<std::size_t>(operands.count++); }

    // Freed memory and other devices are refused.
    bool check_operands() {
        for (const Operand &one : operands) {
            if (!one.array) continue;
            if (!one.array->buffer->check_exists(of_.name.c_str())) return false;
            if (one.array->buffer->device == device_) continue;
            PyErr_Format(
                PyExc_ValueError,
                "%s: one array is on device %d, another on device %d: PyGPU.asarray(a, device=%d) is on "
                "one of them",
                of_.name.c_str(), device_, one.array->buffer->device, device_);
            return false;
        }
        return true;
    }

    bool find_types() {
        types_ = of_.types.find(operands, of_.name_object.get(), of_.outputs);
        return static_cast<bool>(types_);
    }

    // Arrays that a loop writes can be written, and devices can load the elements: only aligned ones.
    bool check_elements() {
        for (std::size_t at = 0; at < static_cast<std::size_t>(operands.count); ++at) {
            const arrays::Array *array = operands.all[at].array;
            if (!array) continue;
            if ((types_->written >> at & 1) && !array->buffer->check_writable(of_.name.c_str())) return false;
            const ParameterType &parameter = types_->parameters[at];
            const auto size = static_cast<std::size_t>(parameter.size);
            if (!parameter.kind || size > sizeof(Scalar)) continue;
            bool aligned = !(reinterpret_cast<std::uintptr_t>(array->data) % size);
            for (int axis = 0; axis < array->axes(); ++axis)
                if (array->shape()[axis] > 1)
                    aligned &= !(static_cast<std::size_t>(std::abs(array->strides()[axis])) % size);
            if (aligned) continue;
            PyErr_Format(
                PyExc_ValueError,
                "%s: the elements of an array of %R don't lie at multiples of %zu bytes: copy() aligns "
                "them",
                of_.name.c_str(), array->dtype, size);
            return false;
        }
        return true;
    }

    bool load_shape(Layout &shape) {
        const char *name = of_.name.c_str();
        if (!broadcast_shape(operands, 0, name, shape)) return false;
        for (int at = 0; at < of_.outputs; ++at) {
            const Operand &output = operands.all[static_cast<std::size_t>(at)];
            if (!output.array || arrays::same_shape(output.array->layout(), shape)) continue;
            PyErr_Format(PyExc_ValueError, "%s: the result has more elements than the array that it goes to",
                         name);
            return false;
        }
        return true;
    }

    // Arrays of another shape than the first one's must be contiguous: the kernel gets their address.
    bool load_loop_shape(Layout &shape) {
        shape = operands.first_array()->array->layout();
        for (Operand &one : operands) {
            if (!one.array || arrays::same_shape(one.array->layout(), shape)) continue;
            const Layout layout = one.array->layout();
            one.plain = layout.contiguous_as_c() || layout.contiguous_as_f();
            if (one.plain) continue;
            PyErr_Format(
                PyExc_ValueError,
                "%s: an array of another shape than the first one's must be contiguous: copy() makes it so",
                of_.name.c_str());
            return false;
        }
        return true;
    }

    // The order of the results' axes: that of the first input with all elements.
    Layout layout_of_results(const Layout &shape) const {
        for (const Operand &one : operands)
            if (one.array && arrays::same_shape(one.array->layout(), shape)) return one.array->layout();
        Layout layout = shape;
        layout.itemsize = 1;
        layout.set_strides('C');
        return layout;
    }

    // An output that shares memory with an input, but not element by element, or with an earlier output, gets
    // its elements afterwards.
    bool must_wait(std::size_t number) const {
        const Operand &output = operands.all[number];
        const Layout layout = output.array->layout();
        for (std::size_t at = 0; at < number; ++at) {
            const arrays::Array &earlier = *operands.all[at].array;
            if (arrays::overlap(output.array->data, layout, earlier.data, earlier.layout())) return true;
        }
        for (int at = of_.outputs; at < operands.count; ++at) {
            const Operand &input = operands.all[static_cast<std::size_t>(at)];
            if (!input.array || (input.array->data == output.array->data &&
                                 arrays::same_shape(input.array->layout(), layout) &&
                                 arrays::same_strides(layout, input.array->strides()) &&
                                 input.array->itemsize == layout.itemsize))
                continue;
            if (arrays::overlap(output.array->data, layout, input.array->data, input.array->layout()))
                return true;
        }
        return false;
    }

    bool make_output(Operand &output, std::size_t at, const Layout &results,
                     const arrays::StreamArgument &stream, PyObject *allocator) {
        PyObject *dtype = types_->parameters[at].dtype.get();
        Layout layout = results;
        layout.itemsize = types_->parameters[at].size;
        layout = layout.compact('K');
        output.owner = Reference(
            arrays::make_empty(arrays::public_type(), of_.name.c_str(), layout, dtype, allocator, stream));
        if (!output.owner) return false;
        output.array = &arrays::array_of(output.owner.get());
        return true;
    }

    // Makes the missing outputs, launches, and copies to outputs that share memory with inputs.
    PyObject *launch_on(const Layout &shape) {
        const arrays::Runtime &runtime = *arrays::runtime();
        arrays::StreamArgument stream = arrays::current_stream();
        if (stream_ != Py_None && !arrays::load_stream(stream_, of_.name.c_str(), stream)) return nullptr;
        int current = arrays::any_device;
        // Results are made on the current device.
        if (!runtime.get_device(&current) && current == device_) return launch_here(shape, stream);
        arrays::Scope scope(runtime, device_);
        if (scope.status()) return arrays::raise_status(runtime, scope.status(), "%s", of_.name.c_str());
        return launch_here(shape, stream);
    }

    PyObject *launch_here(const Layout &shape, const arrays::StreamArgument &stream) {
        Reference given[2];
        bool any_waits = false;
        if (of_.form != Form::loop) {
            const Layout results = layout_of_results(shape);
            PyObject *allocator = operands.first_array()->array->allocator;
            for (std::size_t at = 0; at < static_cast<std::size_t>(of_.outputs); ++at) {
                Operand &output = operands.all[at];
                const bool waits = output.array && must_wait(at);
                any_waits |= waits;
                if (waits) given[at] = std::move(output.owner);
                if ((waits || !output.array) && !make_output(output, at, results, stream, allocator))
                    return nullptr;
            }
        }
        if (!launch_kernel(shape)) return nullptr;
        for (std::size_t at = 0; any_waits && at < std::size(given); ++at) {
            if (!given[at]) continue;
            if (!arrays::assign_array(given[at].get(), operands.all[at].owner.get(), stream, true))
                return nullptr;
            operands.all[at].owner = std::move(given[at]);
        }
        return results();
    }

    PyObject *results() {
        if (of_.form == Form::loop) Py_RETURN_NONE;
        if (of_.outputs == 1) return operands.all[0].owner.release();
        PyObject *tuple = PyTuple_New(of_.outputs);
        for (int at = 0; tuple && at < of_.outputs; ++at)
            PyTuple_SET_ITEM(tuple, at, operands.all[static_cast<std::size_t>(at)].owner.release());
        return tuple;
    }

    bool launch_kernel(const Layout &shape) {
        Loop loop;
        const LoopOrder order = of_.form == Form::loop ? LoopOrder::indices : LoopOrder::memory;
        if (!plan_loop(operands, shape, order, of_.name.c_str(), loop)) return false;
        const std::uint64_t count = ranged ? range : loop.count;
        if (!count) return true;

        KernelLayout layout;
        layout.axes = loop.axes;
        layout.wide = loop.count >= (std::uint64_t{1} << 31);
        layout.ranged = ranged;
        layout.packed = types_->pack && !loop.axes && !ranged && are_aligned();
        for (std::size_t at = 0; at < static_cast<std::size_t>(operands.count); ++at)
            if (loop.axes && operands.all[at].plain) layout.plain |= std::uint32_t{1} << at;
        const Reference kernel(of_.types.kernel(*types_, layout, device_));
        if (!kernel) return false;

        // The parameters: the number of elements, those of a range, the operands, and the axes.
        void *pointers[most_operands + 5], **end = pointers;
        void *addresses[most_operands];
        Scalar scalars[most_operands];
        // Numbers may run a user's code. After that nothing does until the launch has begun its uses.
        for (std::size_t at = 0; at < static_cast<std::size_t>(operands.count); ++at) {
            const Operand &one = operands.all[at];
            if (!one.array &&
                !of_.types.load_number(one.owner.get(), types_->parameters[at], of_.name_object.get(),
                                       scalars[at].bytes, sizeof scalars[at].bytes))
                return false;
        }
        Uses uses;
        *end++ = &loop.count;
        if (ranged) {
            *end++ = &start;
            *end++ = &step;
            *end++ = &range;
        }
        for (std::size_t at = 0; at < static_cast<std::size_t>(operands.count); ++at) {
            const Operand &one = operands.all[at];
            addresses[at] = one.array ? one.array->data : nullptr;
            *end++ = one.array ? static_cast<void *>(&addresses[at]) : scalars[at].bytes;
            if (!one.array) continue;
            if (!one.array->buffer->check_exists(of_.name.c_str())) return false;
            uses.add(*one.array->buffer);
        }
        // As the source declares it: the extents, then the strides of each array.
        std::uint64_t space[most_loop_axes * (most_operands + 1)], *to = space;
        if (loop.axes) {
            const auto axes = static_cast<std::size_t>(loop.axes);
            to = std::copy_n(loop.extents.begin(), axes, to);
            for (std::size_t at = 0; at < static_cast<std::size_t>(operands.count); ++at)
                if (operands.all[at].array && !operands.all[at].plain)
                    to = std::copy_n(loop.strides[at].begin(), axes, to);
            *end++ = space;
        }
        constexpr std::uint64_t threads = 256, most_blocks = 1 << 20;
        const std::uint64_t whole = threads * static_cast<std::uint64_t>(layout.packed ? types_->pack : 1);
        Configuration how;
        how.block = {threads, 1, 1};
        how.grid = {static_cast<unsigned>(std::min((count + whole - 1) / whole, most_blocks)), 1, 1};
        how.stream = Reference::borrow(stream_);
        return static_cast<bool>(
            Reference(launch(*kernel_in(kernel.get()), how, {pointers, uses.all(), {}})));
    }

    bool are_aligned() const {
        return std::ranges::all_of(operands, [](const Operand &one) {
            return !one.array || !(reinterpret_cast<std::uintptr_t>(one.array->data) % sizeof(Scalar));
        });
    }

    ElementwiseObject &of_;
    PyObject *stream_;
    std::shared_ptr<TypesEntry> types_;
    int device_ = 0;
};

bool load_count(PyObject *object, std::uint64_t &value) {
    const long long number = PyLong_AsLongLong(object);
    value = static_cast<std::uint64_t>(number);
    return number != -1 || !PyErr_Occurred();
}

// The keywords of a call: `out`, `stream`, and for a loop `range`, a tuple of start, step and count.
struct Keywords {
    PyObject *out = nullptr, *stream = nullptr, *range = nullptr;

    bool load(const ElementwiseObject &of, PyObject *names, PyObject *const *values) {
        for (Py_ssize_t at = 0; names && at < PyTuple_GET_SIZE(names); ++at) {
            PyObject *name = PyTuple_GET_ITEM(names, at);
            if (PyUnicode_CompareWithASCIIString(name, "stream") == 0)
                stream = values[at];
            else if (of.form != Form::loop && PyUnicode_CompareWithASCIIString(name, "out") == 0)
                out = values[at] == Py_None ? nullptr : values[at];
            else if (of.form == Form::loop && PyUnicode_CompareWithASCIIString(name, "range") == 0)
                range = values[at] == Py_None ? nullptr : values[at];
            else {
                PyErr_Format(PyExc_TypeError, "%s has no parameter %R", of.name.c_str(), name);
                return false;
            }
        }
        return true;
    }
};

bool load_outputs(const ElementwiseObject &of, Call &call, PyObject *out) {
    if (!out) return true;
    if (!PyTuple_Check(out)) {
        if (of.outputs == 1) return call.load_output(0, out);
    } else if (PyTuple_GET_SIZE(out) == of.outputs) {
        for (int at = 0; at < of.outputs; ++at)
            if (!call.load_output(at, PyTuple_GET_ITEM(out, at))) return false;
        return true;
    }
    PyErr_Format(PyExc_TypeError, "%s: parameter 'out' must be %s", of.name.c_str(),
                 of.outputs == 1 ? "a GPUArray" : "a tuple with an array for each result");
    return false;
}

// A function of an object that records what is done with it, such as fuse()'s; null without an exception for
// any other object.
PyObject *recorded(const ElementwiseObject &of, PyObject *const *inputs) {
    static PyObject *const method = PyUnicode_InternFromString("_elementwise_");
    for (int at = 0; at < of.inputs && method; ++at) {
        if (!PyObject_HasAttr(reinterpret_cast<PyObject *>(Py_TYPE(inputs[at])), method)) continue;
        const Reference all(PyTuple_New(of.inputs));
        for (int each = 0; all && each < of.inputs; ++each)
            PyTuple_SET_ITEM(all.get(), each, Py_NewRef(inputs[each]));
        return all ? PyObject_CallMethodObjArgs(inputs[at], method, of.name_object.get(), all.get(), nullptr)
                   : nullptr;
    }
    return nullptr;
}

PyObject *refuse_input(const ElementwiseObject &of, PyObject *const *inputs) {
    if (PyObject *result = of.form == Form::function ? recorded(of, inputs) : nullptr) return result;
    for (int at = 0; at < of.inputs && !PyErr_Occurred(); ++at) {
        Operand operand;
        bool known = false;
        if (!load_operand(inputs[at], of.name.c_str(), Py_None, operand, known)) return nullptr;
        if (!known)
            return PyErr_Format(PyExc_TypeError,
                                "%s takes arrays on a device and numbers, not %.80s: PyGPU.to_gpu(x) copies "
                                "x to the device",
                                of.name.c_str(), Py_TYPE(inputs[at])->tp_name);
    }
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "%s takes arrays on a device and numbers", of.name.c_str());
    return nullptr;
}

PyObject *call(PyObject *self, PyObject *const *args, std::size_t flagged, PyObject *names) {
    ElementwiseObject &of = elementwise_of(self);
    const Py_ssize_t count = PyVectorcall_NARGS(flagged);
    Keywords keywords;
    if (!keywords.load(of, names, args + count)) return nullptr;
    const bool is_function = of.form == Form::function, is_loop = of.form == Form::loop;
    if (count < of.inputs || count > of.inputs + (is_function ? of.outputs : 0))
        return PyErr_Format(PyExc_TypeError, "%s takes %d arrays or numbers, not %zd", of.name.c_str(),
                            of.inputs, count);
    Call one(of, keywords.stream);
    PyObject *const swapped[] = {count ? args[count - 1] : nullptr, args[0]};
    bool known = false;
    if (!one.load_inputs(of.form == Form::reflected ? swapped : args, of.inputs, known)) return nullptr;
    if (!known) {
        // Python would compare the objects themselves.
        if (is_function || is_loop || of.form == Form::comparison) return refuse_input(of, args);
        Py_RETURN_NOTIMPLEMENTED;
    }
    if (of.form == Form::in_place && !one.load_output(0, args[0])) return nullptr;
    for (Py_ssize_t at = of.inputs; at < count; ++at)
        if (!one.load_output(static_cast<int>(at - of.inputs), args[at])) return nullptr;
    if (!load_outputs(of, one, keywords.out)) return nullptr;
    if (keywords.range) {
        one.ranged = true;
        if (!PyTuple_Check(keywords.range) || PyTuple_GET_SIZE(keywords.range) != 3 ||
            !load_count(PyTuple_GET_ITEM(keywords.range, 0), one.start) ||
            !load_count(PyTuple_GET_ITEM(keywords.range, 1), one.step) ||
            !load_count(PyTuple_GET_ITEM(keywords.range, 2), one.range))
            return PyErr_Format(PyExc_TypeError, "%s: 'range' must be (start, step, count)", of.name.c_str());
    }
    return one.run();
}

PyObject *construct(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static constexpr const char *forms[] = {"function",   "loop",      "forward",
                                            "comparison", "reflected", "in_place"};
    PyObject *maker, *name;
    const char *form;
    int inputs, outputs;
    if (!PyArg_ParseTuple(args, "OUiis:Elementwise", &maker, &name, &inputs, &outputs, &form)) return nullptr;
    const auto *known = std::ranges::find_if(forms, [&](const char *one) { return !std::strcmp(one, form); });
    if (kwargs || known == std::end(forms) || inputs < 0 || outputs < 0 || outputs > 2 ||
        inputs + outputs > most_operands) {
        PyErr_Format(PyExc_ValueError, "Elementwise(): %d inputs, %d outputs, form %s", inputs, outputs,
                     form);
        return nullptr;
    }
    const char *text = PyUnicode_AsUTF8(name);
    PyObject *self = text ? type->tp_alloc(type, 0) : nullptr;
    if (!self) return nullptr;
    ElementwiseObject &object = elementwise_of(self);
    object.call = call;
    new (&object.types) ElementwiseTypes(maker);
    new (&object.name_object) Reference(Py_NewRef(name));
    new (&object.name) std::string(std::string(text) + "()");
    object.inputs = inputs;
    object.outputs = outputs;
    object.form = static_cast<Form>(known - std::begin(forms));
    return self;
}

int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(elementwise_of(self).types.maker());
    return 0;
}

void destroy(PyObject *self) {
    PyObject_GC_UnTrack(self);
    destroy_plain<ElementwiseObject>(self);
}

PyObject *get_name(PyObject *self, void *) { return Py_NewRef(elementwise_of(self).name_object.get()); }

// An operator in a class is a method of its arrays.
PyObject *bind(PyObject *self, PyObject *object, PyObject *) {
    const Form form = elementwise_of(self).form;
    if (!object || form == Form::function || form == Form::loop) return Py_NewRef(self);
    return PyMethod_New(self, object);
}

PyObject *repr(PyObject *self) {
    return PyUnicode_FromFormat("<PyGPU elementwise function %U>", elementwise_of(self).name_object.get());
}

PyTypeObject *make_elementwise_type() {
    static PyMemberDef members[] = {
        {"__vectorcalloffset__", T_PYSSIZET, offsetof(ElementwiseObject, call), READONLY, nullptr},
        {nullptr, 0, 0, 0, nullptr}};
    static PyGetSetDef properties[] = {
        {"__name__", get_name, nullptr, "numpy's name of the function.", nullptr},
        {"__qualname__", get_name, nullptr, "The same.", nullptr},
        {nullptr, nullptr, nullptr, nullptr, nullptr}};
    PyType_Slot slots[] = {
        {Py_tp_new, reinterpret_cast<void *>(construct)},
        {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
        {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
        {Py_tp_getset, properties},
        {Py_tp_repr, reinterpret_cast<void *>(repr)},
        {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
        {Py_tp_descr_get, reinterpret_cast<void *>(bind)},
        {Py_tp_members, members},
        {Py_tp_doc, const_cast<char *>("An elementwise function, operator or loop. PyGPU makes them.")},
        {0, nullptr}};
    return make_type("PyGPU._core.kernels.Elementwise", sizeof(ElementwiseObject),
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                         Py_TPFLAGS_METHOD_DESCRIPTOR,
                     slots);
}

} // namespace

bool add_elementwise(PyObject *module) {
    if (!elementwise_type) elementwise_type = make_elementwise_type();
    return elementwise_type &&
           !PyModule_AddObjectRef(module, "Elementwise", reinterpret_cast<PyObject *>(elementwise_type));
}

} // namespace pygpu::kernels
