// Reads launch arguments. Each must show how it lies in memory.
#include "types/launch/values.hpp"

#include "binding/status_type.hpp"
#include "convert/pointer_provider.hpp"
#include "convert/sequences.hpp"
#include "types/handles/handle_class.hpp"
#include "types/launch/scalar_layout.hpp"

#include <cstring>

namespace pygpu {
namespace {

constexpr const char *accepted_arguments =
    "a sequence of values, (values, types), a buffer of addresses, the address of a void ** (int) or None";

bool is_list_or_tuple(PyObject *object) { return PyList_Check(object) || PyTuple_Check(object); }

bool bare(const ArgumentContext &context, PyObject *value) {
    PyErr_Format(PyExc_TypeError,
                 "%s is a bare %.80s, which has no size in C: write numpy.int32(...), numpy.float32(...), "
                 "ctypes.c_int(...) or the like, or give (values, types)",
                 context.text().c_str(), Py_TYPE(value)->tp_name);
    return false;
}

// Whether numpy makes an array of the object. Those of devices were taken before.
bool is_host_tensor(PyObject *object) {
    return PyList_Check(object) ||
           PyObject_HasAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)), "__array__");
}

// Whether it is one of PyCUDA's In, Out and InOut, which a kernel without PyCUDA's calls doesn't take.
bool is_handler(PyObject *object) {
    return PyObject_HasAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)), "pre_call");
}

bool host_array(const ArgumentContext &context, PyObject *value) {
    PyErr_Format(
        PyExc_TypeError,
        "%s is a %.80s in host memory, and kernels take arrays on a device: PyGPU.to_gpu(x) makes one; "
        "a function of get_function() takes PyGPU.driver.In(x), Out(x) and InOut(x), too",
        context.text().c_str(), type_description(value));
    return false;
}

// Makes `type(value)`. An int that doesn't fit the type is an OverflowError, while ctypes would cut it
// silently.
Reference instance_of(PyObject *type, PyObject *value, const ArgumentContext &context) {
    Reference instance(PyObject_CallOneArg(type, value));
    if (!instance) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError)) return {};
        PyErr_Clear();
        const std::string wanted =
            std::string("a value for ") +
            (PyType_Check(type) ? reinterpret_cast<PyTypeObject *>(type)->tp_name : "its type");
        type_error(context, wanted.c_str(), value);
        return {};
    }
    if (!PyLong_Check(value)) return instance;
    Reference number = PyIndex_Check(instance.get())
                           ? Reference::borrow(instance.get())
                           : Reference(PyObject_GetAttrString(instance.get(), "value"));
    if (!number) PyErr_Clear();
    if (!number || !PyIndex_Check(number.get()) || PyBool_Check(number.get())) return instance;
    const int same = PyObject_RichCompareBool(number.get(), value, Py_EQ);
    if (same == 1) return instance;
    if (same == 0) {
        PyErr_Format(PyExc_OverflowError, "%s = %R is out of range for %.80s", context.text().c_str(), value,
                     Py_TYPE(instance.get())->tp_name);
    }
    return {};
}

// The sizes that most scalars have are copied without a call.
void copy_scalar(void *to, const void *data, std::size_t size) {
    if (size == 8)
        std::memcpy(to, data, 8);
    else if (size == 4)
        std::memcpy(to, data, 4);
    else
        std::memcpy(to, data, size);
}

} // namespace

LaunchValues::Rest &LaunchValues::rest() {
    if (!rest_) rest_ = std::make_unique<Rest>();
    return *rest_;
}

void LaunchValues::end() {
    if (rest_) {
        for (Py_buffer &one : rest_->pinned) release_buffer(one);
    }
    park_if_overtaken(); // once is enough: dropping a reference that is not the last runs no code
    for (std::size_t at = 0; at < owned_; ++at) {
        PyObject *object = columns_[3 * room_ + at].object;
        if (Py_REFCNT(object) > 1)
            Py_DECREF(object);
        else
            release_object(object);
    }
}

// Takes references to all items of a list or tuple before any is read, because reading a value may run code
// that changes the list.
void LaunchValues::take(PyObject *values) {
    PyObject **items = PySequence_Fast_ITEMS(values);
    reserve(static_cast<std::size_t>(PySequence_Fast_GET_SIZE(values)));
    Word *objects = columns_ + 3 * room_;
    for (; owned_ < room_; ++owned_) objects[owned_].object = Py_NewRef(items[owned_]);
}

void LaunchValues::reserve(std::size_t count) {
    counted_ = true;
    room_ = count;
    if (count <= most_inside) return;
    rest().columns = std::make_unique_for_overwrite<Word[]>(4 * count);
    columns_ = rest_->columns.get();
}

void LaunchValues::add(const void *data, std::size_t size) {
    columns_[count_].pointer = const_cast<void *>(data);
    columns_[room_ + count_++].size = size;
}

void *&LaunchValues::add_word(std::size_t size) {
    void *&word = columns_[2 * room_ + words_++].pointer;
    add(&word, size);
    return word;
}

void LaunchValues::add_pointer(void *pointer) { add_word(sizeof pointer) = pointer; }

void LaunchValues::add_bytes(const void *data, std::size_t size) { std::memcpy(&add_word(size), data, size); }

// The fast path for the usual launch with a few scalars of known types. It runs no code that could change the
// list, and copies need no owner. False, with nothing loaded, for any other arguments.
bool LaunchValues::copy_scalars(PyObject *object) {
    if (!is_list_or_tuple(object)) return false;
    PyObject **items = PySequence_Fast_ITEMS(object);
    const auto count = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(object));
    if (count > most_inside) return false;
    reserve(count);
    Word *const pointers = columns_, *const sizes = pointers + count, *const words = sizes + count;
    for (std::size_t at = 0; at < count; ++at) {
        const ScalarLayout *layout = layout_of_scalar(items[at]);
        if (!layout) return false;
        const std::size_t size = layout->size;
        if (size > sizeof(Word)) return false;
        copy_scalar(&words[at], layout->bytes(items[at]), size);
        pointers[at].pointer = &words[at];
        sizes[at].size = size;
    }
    count_ = count;
    return true;
}

bool LaunchValues::load(PyObject *object, const ArgumentContext &context) {
    if (object == Py_None) return true;
    if (is_list_or_tuple(object)) {
        const bool pair = PyTuple_Check(object) && PyTuple_GET_SIZE(object) == 2 &&
                          is_list_or_tuple(PyTuple_GET_ITEM(object, 0)) &&
                          is_list_or_tuple(PyTuple_GET_ITEM(object, 1));
        take(pair ? PyTuple_GET_ITEM(object, 0) : object);
        return pair ? load_pairs(PyTuple_GET_ITEM(object, 1), context) : load_values(context);
    }
    if (leads_to_pointers(object)) return load_address(object, context);
    if (PyObject_CheckBuffer(object)) return load_addresses(object, context);
    if (!is_sequence(object)) return type_error(context, accepted_arguments, object);
    const Reference values(PySequence_Tuple(object));
    if (!values) return false;
    take(values.get());
    return load_values(context);
}

bool LaunchValues::load_address(PyObject *object, const ArgumentContext &context) {
    Memory *memory = rest().memory.emplace_back(std::make_unique<Memory>()).get();
    if (!memory->load(object, context, Access::address)) return false;
    given_ = static_cast<void **>(memory->pointer());
    return true;
}

// A buffer of addresses, such as a numpy array of uint64: it is the `void **` itself.
bool LaunchValues::load_addresses(PyObject *object, const ArgumentContext &context) {
    Memory *memory = rest().memory.emplace_back(std::make_unique<Memory>()).get();
    if (!memory->load(object, context, Access::address)) return false;
    const Element element = memory->element(object);
    if (!fits({'p', sizeof(void *)}, element) || !element)
        return type_error(context, accepted_arguments, object);
    given_ = static_cast<void **>(memory->pointer());
    for (std::size_t at = 0; at < memory->size() / sizeof(void *); ++at) {
        const FieldPath step{context.path, nullptr, static_cast<Py_ssize_t>(at)};
        if (!given_[at]) return value_error(context.within(step), "is null, and no argument lies there");
        if (!may_be_led_to(given_[at], context.within(step))) return false;
    }
    return true;
}

bool LaunchValues::load_values(const ArgumentContext &context) {
    FieldPath step{context.path};
    const ArgumentContext item = context.within(step);
    for (std::size_t at = 0; at < owned_; ++at) {
        step.item = static_cast<Py_ssize_t>(at);
        if (!load_value(columns_[3 * room_ + at].object, item)) return false;
    }
    return true;
}

bool LaunchValues::load_pairs(PyObject *types, const ArgumentContext &context) {
    const Reference kinds(PySequence_Tuple(types));
    if (!kinds) return false;
    const auto count = static_cast<Py_ssize_t>(owned_);
    if (count != PyTuple_GET_SIZE(kinds.get())) {
        return value_error(context, "holds %zd values, but %zd types", count, PyTuple_GET_SIZE(kinds.get()));
    }
    for (Py_ssize_t at = 0; at < count; ++at) {
        const FieldPath step{context.path, nullptr, at};
        PyObject *value = columns_[3 * room_ + static_cast<std::size_t>(at)].object;
        if (!load_typed(value, PyTuple_GET_ITEM(kinds.get(), at), context.within(step))) return false;
    }
    return true;
}

bool LaunchValues::load_typed(PyObject *value, PyObject *type, const ArgumentContext &context) {
    if (type == Py_None) return load_value(value, context);
    // numpy's types would convert a status to its int.
    if (StatusType::check(value)) return type_error(context, "a value for its type", value);
    Reference scalar; // the scalar class of a numpy dtype
    if (!PyType_Check(type)) {
        scalar = Reference(PyObject_GetAttrString(type, "type"));
        if (!scalar) PyErr_Clear();
        if (!scalar || !PyType_Check(scalar.get())) {
            return type_error(context, "given with a ctypes or numpy type, or None", type);
        }
        type = scalar.get();
    }
    if (Py_TYPE(value) == reinterpret_cast<PyTypeObject *>(type)) return load_value(value, context);
    if (is_c_pointer_type(reinterpret_cast<PyTypeObject *>(type))) {
        Memory *memory = rest().memory.emplace_back(std::make_unique<Memory>()).get();
        if (!memory->load(value, context, Access::address)) return false;
        add_pointer(memory->pointer());
        return true;
    }
    const Reference &instance = rest().instances.emplace_back(instance_of(type, value, context));
    return instance && load_value(instance.get(), context);
}

bool LaunchValues::load_value(PyObject *value, const ArgumentContext &context) {
    scalar_ = ScalarKind::pointer;
    element_ = {};
    if (value == Py_None) {
        add_pointer(nullptr);
        return true;
    }
    if (const ScalarLayout *layout = layout_of_scalar(value)) {
        add(layout->bytes(value), layout->size);
        scalar_ = layout->kind;
        return true;
    }
    // numpy.float64 is a float, too, but knows its size.
    if (PyLong_Check(value) || PyFloat_CheckExact(value) || PyComplex_CheckExact(value)) {
        return bare(context, value);
    }
    if (const PointerProvider provide = pointer_provider_of(value)) {
        const ProvidedPointer provided = provide(value);
        add_pointer(provided.pointer);
        element_ = provided.element;
        return !PyErr_Occurred();
    }
    if (PyObject_CheckBuffer(value)) return load_buffer(value, context);
    void *handle = nullptr;
    if (load_any_handle(value, handle)) {
        add_pointer(handle);
        scalar_ = ScalarKind::handle;
        return !PyErr_Occurred();
    }
    if (!load_memory(value, context)) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
        PyErr_Clear();
        if (is_host_tensor(value) || is_handler(value)) return host_array(context, value);
        return type_error(
            context, "a ctypes or numpy scalar, a struct, a handle or an object in device memory", value);
    }
    return true;
}

bool LaunchValues::load_memory(PyObject *value, const ArgumentContext &context) {
    Memory memory;
    if (!memory.load(value, context, Access::address)) return false;
    add_pointer(memory.pointer());
    element_ = memory.element(value);
    if (Reference producer = memory.take_producer()) rest().producer = std::move(producer);
    return true;
}

// The buffer need not stay pinned: the bytes stay where they are as long as the object lives, unless
// ctypes.resize() moves them.
bool LaunchValues::load_c_scalar(PyObject *value) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(value, &buffer, PyBUF_FORMAT)) return false;
    add(buffer.buf, static_cast<std::size_t>(buffer.len));
    scalar_ = scalar_kind(buffer.format);
    learn_scalar(value, buffer);
    release_buffer(buffer);
    return true;
}

// Takes the bytes of a scalar or a struct by value. An array in host memory is refused as a mistake; an array
// in device memory is passed by its address.
bool LaunchValues::load_buffer(PyObject *value, const ArgumentContext &context) {
    if (is_c_scalar(value)) return load_c_scalar(value);
    Py_buffer &buffer = rest().pinned.emplace_back();
    if (PyObject_GetBuffer(value, &buffer, PyBUF_ANY_CONTIGUOUS | PyBUF_FORMAT)) {
        PyErr_Clear(); // the dtypes of ml_dtypes have bytes, but no letter
        if (PyObject_GetBuffer(value, &buffer, PyBUF_ANY_CONTIGUOUS)) {
            rest().pinned.pop_back();
            return false;
        }
    }
    const bool plain = !buffer.format || !std::strcmp(buffer.format, "B");
    const bool numpy_array = buffer.ndim && PyObject_HasAttrString(value, "__array_interface__");
    if (!buffer.ndim) learn_scalar(value, buffer);
    if (!buffer.ndim || (plain && !numpy_array) || is_c_array(value)) {
        add(buffer.buf, static_cast<std::size_t>(buffer.len));
        scalar_ = buffer.ndim ? ScalarKind::unknown : scalar_kind(buffer.format);
        return true;
    }
    if (PyObject_HasAttrString(value, "__cuda_array_interface__")) return load_memory(value, context);
    return host_array(context, value);
}

} // namespace pygpu
