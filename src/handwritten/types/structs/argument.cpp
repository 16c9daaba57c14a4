// Struct arguments from Python objects.
#include "types/structs/argument.hpp"

#include "convert/sequences.hpp"
#include "python/reference.hpp"
#include "types/structs/fill.hpp"
#include "types/structs/lengths.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

namespace pygpu {
namespace {

// A struct whose layout `kind` knows; null for any other object. A struct of another module is memory here.
StructObject *known_struct(const StructClass &kind, PyObject *object) {
    return kind.is_foreign() ? nullptr : as_struct(object);
}

} // namespace

bool StructCopy::load(StructClass &kind, PyObject *object, const ArgumentContext &context,
                      std::span<std::byte> buffer) {
    std::ranges::fill(buffer.subspan(kind.size()), std::byte{0});
    if (!fill({kind, kind.current(), buffer.data(), {&owners_, 0}}, object, context)) return false;
    if (!owners_) return true; // no pointer in it leads to Python's memory
    size_behind_first_ = size_behind(buffer.data(), {&owners_, 0}, context);
    return check_lengths(kind, buffer.data(), {&owners_, 0}, context);
}

void StructCopy::end() { release_object(owners_); }

bool StructArgument::point(StructClass &kind, PyObject *object, const ArgumentContext &context,
                           std::span<std::byte> buffer) {
    if (object == Py_None) return true;
    StructObject *own = known_struct(kind, object);
    if (own && own->kind == &kind && own->layout == kind.current() && own->is_foreign()) {
        pointer_ = own->data;
        is_struct_ = true;
        return check_lengths(kind, own->data, owners_of(own), context);
    }
    if (own || PyDict_Check(object) || PyTuple_Check(object) || PyList_Check(object)) {
        pointer_ = buffer.data();
        is_struct_ = true;
        return copy_.load(kind, object, context, buffer);
    }
    return point_to_memory(kind, object, context);
}

bool StructArgument::point_to_itself(StructClass &kind, PyObject *object, const ArgumentContext &context) {
    if (object == Py_None) return true;
    const StructObject *own = known_struct(kind, object);
    if (own ? own->kind != &kind || own->layout != kind.current()
            : PyDict_Check(object) || PyTuple_Check(object) || PyList_Check(object)) {
        const std::string expected = std::string("a ") + kind.name() + ", a buffer, an address (int) or None";
        return type_error(context, expected.c_str(), object);
    }
    return point_to_memory(kind, object, context);
}

bool StructArgument::point_to_memory(StructClass &kind, PyObject *object, const ArgumentContext &context) {
    if (!memory_.load(object, context, Access::address)) return false;
    pointer_ = memory_.pointer();
    if (!may_be_led_to(pointer_, context)) return false;
    if (memory_.size() >= kind.size()) return true; // an address has unknown, thus greatest, size
    return value_error(context, "needs %zu bytes, got %zu", kind.size(), memory_.size());
}

StructArguments::~StructArguments() {
    std::free(bytes_);
    release_object(owners_);
}

bool StructArguments::load(StructClass &kind, PyObject *object, const ArgumentContext &context) {
    if (object == Py_None) return true;
    if (is_address(object)) return load_array_address(object, context, pointer_);
    const bool alone = as_struct(object) || (kind.is_foreign() && Py_TYPE(object) == kind.type());
    Reference values = alone ? Reference(PyTuple_Pack(1, object)) : items_of(object, context);
    if (!values) return false;
    const std::size_t size = kind.size();
    count_ = static_cast<std::size_t>(PyTuple_GET_SIZE(values.get()));
    const std::size_t whole = (count_ * size + struct_tail + kind.align() - 1) / kind.align() * kind.align();
    bytes_ = static_cast<std::byte *>(std::aligned_alloc(kind.align(), whole));
    if (!bytes_) return PyErr_NoMemory();
    std::memset(bytes_, 0, whole);
    pointer_ = bytes_;
    for (std::size_t index = 0; index < count_; ++index) {
        const FieldPath step{context.path, nullptr, static_cast<Py_ssize_t>(index)};
        const Target target{kind, kind.current(), bytes_ + index * size, {&owners_, index * size}};
        const ArgumentContext here = context.within(step);
        if (!fill(target, PyTuple_GET_ITEM(values.get(), static_cast<Py_ssize_t>(index)), here) ||
            !check_lengths(kind, target.data, target.owners, here))
            return false;
    }
    return true;
}

} // namespace pygpu
