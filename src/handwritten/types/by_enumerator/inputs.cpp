// Converting a value once its enumerator is known.
#include "types/by_enumerator/inputs.hpp"

#include "types/structs/fill.hpp"
#include "types/structs/object.hpp"

#include <algorithm>
#include <cstring>

namespace pygpu {
namespace {

constexpr std::size_t input_tail = 64; // zeros for a newer library that reads a longer value

bool is_value(PyObject *object) { return PyIndex_Check(object) || PyFloat_Check(object) || is_bool(object); }

} // namespace

bool TypedInput::load(const TypedTable &table, long long by, PyObject *object,
                      const ArgumentContext &context) {
    one_ = table.find(by);
    if (!one_) return load_unknown(table, object, context);
    const FieldPath step{.outer = context.path, .meaning = one_->name};
    const ArgumentContext here = context.within(step);
    const Field field = current_field(table.tables.structs, one_->field);
    size_ = extent(field);
    if (one_->size_of) { // C writes text into the caller's buffer
        if (!memory_.load(object, here, Access::write)) return false;
        pointer_ = memory_.pointer();
        return true;
    }
    const bool holds_pointer = field.role == Role::pointer || field.role == Role::handle;
    if (object == Py_None && !holds_pointer) return true;
    if (!one_->by_value && (is_c_pointer(object) || (field.role == Role::nested && is_number(object)))) {
        if (!memory_.load(object, here, Access::address)) return false;
        pointer_ = memory_.pointer();
        return true;
    }
    bytes_.resize(std::max(size_, table.most_bytes()) + input_tail);
    if (!load_whole(table, object) && !load_value(table, field, object, here)) return false;
    if (one_->by_value && field.role != Role::nested)
        std::memcpy(&pointer_, bytes_.data(), sizeof pointer_);
    else
        pointer_ = bytes_.data();
    return true;
}

// C may read as many bytes as the largest value has. So a shorter buffer is copied, with zeros behind it.
bool TypedInput::load_unknown(const TypedTable &table, PyObject *object, const ArgumentContext &context) {
    if (!memory_.load(object, context, Access::address)) return false;
    pointer_ = memory_.pointer();
    if (memory_.size() != Memory::unknown) size_ = memory_.size();
    if (!PyObject_CheckBuffer(object) || is_c_pointer(object) || memory_.size() >= table.most_bytes())
        return true;
    bytes_.resize(table.most_bytes() + input_tail);
    std::memcpy(bytes_.data(), pointer_, memory_.size());
    pointer_ = bytes_.data();
    return true;
}

// Takes an object of the union itself. The enumerator says which member C reads.
bool TypedInput::load_whole(const TypedTable &table, PyObject *object) {
    const StructObject *whole = as_struct(object);
    if (!whole || table.whole < 0 ||
        whole->kind != &table.tables.structs[static_cast<std::size_t>(table.whole)]) {
        return false;
    }
    std::memcpy(bytes_.data(), whole->data, std::min(bytes_.size(), whole->shape().size));
    return true;
}

bool TypedInput::load_value(const TypedTable &table, const Field &field, PyObject *object,
                            const ArgumentContext &context) {
    const bool scalar = field.role == Role::plain || field.role == Role::enumeration;
    if (scalar && !is_value(object) && PyObject_CheckBuffer(object)) {
        if (!memory_.load(object, context, Access::address)) return false;
        if (memory_.size() != field.size) {
            return value_error(context, "needs %u bytes, got %zu", field.size, memory_.size());
        }
        std::memcpy(bytes_.data(), memory_.pointer(), field.size);
        return true;
    }
    return write_item(table.tables, field, bytes_.data(), {&owners_, 0}, object, context);
}

unsigned long long TypedInput::number() const { return reinterpret_cast<std::uintptr_t>(pointer_); }

void TypedInput::write_back(const void *answer, PyObject *object) const {
    if (!one_ || !one_->written || one_->size_of || is_value(object) || !PyObject_CheckBuffer(object)) return;
    Py_buffer view{};
    if (PyObject_GetBuffer(object, &view, PyBUF_WRITABLE)) {
        PyErr_Clear();
        return;
    }
    if (view.len == static_cast<Py_ssize_t>(one_->field.size)) {
        std::memcpy(view.buf, &answer, std::min(sizeof answer, std::size_t{one_->field.size}));
    }
    PyBuffer_Release(&view);
}

bool TypedInputs::load(PyObject *object, const ArgumentContext &context) {
    if (object == Py_None) return true;
    if (leads_to_pointers(object)) {
        if (!memory_.load(object, context, Access::address)) return false;
        given_ = static_cast<void **>(memory_.pointer());
        return true;
    }
    values_ = items_of(object, context);
    counted_ = static_cast<bool>(values_);
    return counted_;
}

bool TypedInputs::check_with(const TypedTable &table, const std::vector<long long> &options, bool counted,
                             const ArgumentContext &context) {
    if (!counted_) return true;
    const Py_ssize_t count = PyTuple_GET_SIZE(values_.get());
    if (count && !counted) {
        return value_error(context, "holds %zd values, but there is no sequence of options that types them",
                           count);
    }
    if (static_cast<std::size_t>(count) != options.size()) {
        return value_error(context, "holds %zd values for %zu options", count, options.size());
    }
    for (Py_ssize_t at = 0; at < count; ++at) {
        const FieldPath step{context.path, nullptr, at};
        inputs_.push_back(std::make_unique<TypedInput>());
        TypedInput &input = *inputs_.back();
        PyObject *value = PyTuple_GET_ITEM(values_.get(), at);
        if (!input.load(table, options[static_cast<std::size_t>(at)], value, context.within(step)))
            return false;
        pointers_.push_back(input.pointer());
    }
    return check_buffers(options, context);
}

// C fills a buffer up to the size that another option gives.
bool TypedInputs::check_buffers(const std::vector<long long> &options, const ArgumentContext &context) const {
    for (std::size_t at = 0; at < inputs_.size(); ++at) {
        const TypedCase *one = inputs_[at]->known();
        if (!one || !one->size_of) continue;
        for (std::size_t other = 0; other < options.size(); ++other) {
            if (options[other] != one->size_of || inputs_[other]->number() <= inputs_[at]->buffer_size())
                continue;
            const FieldPath step{
                .outer = context.path, .item = static_cast<Py_ssize_t>(at), .meaning = one->name};
            return value_error(context.within(step), "holds %zu bytes, but option %zu says %llu",
                               inputs_[at]->buffer_size(), other, inputs_[other]->number());
        }
    }
    return true;
}

void TypedInputs::answered() const {
    for (std::size_t at = 0; at < inputs_.size(); ++at) {
        inputs_[at]->write_back(pointers_[at], PyTuple_GET_ITEM(values_.get(), static_cast<Py_ssize_t>(at)));
    }
}

std::size_t TypedInputs::size() const {
    return counted_ ? static_cast<std::size_t>(PyTuple_GET_SIZE(values_.get())) : Memory::unknown;
}

} // namespace pygpu
