// Looking up the kernel of an elementwise function, and asking Python for one that is not there yet.
#include "kernels/elementwise_types.hpp"

#include "arrays/base/numpy.hpp"
#include "kernels/code.hpp"
#include "kernels/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace pygpu::kernels {
namespace {

// Dtypes of structs are objects without end, so old entries go.
constexpr std::size_t most_entries = 256;

bool fits(long long value, const ParameterType &parameter) {
    const auto bits = static_cast<unsigned>(parameter.size) * 8;
    if (parameter.kind == 'u') return value >= 0 && (bits == 64 || value < (1LL << bits));
    return bits == 64 || (value >= -(1LL << (bits - 1)) && value < (1LL << (bits - 1)));
}

// Writes the common numbers; false, without an exception, for one that the maker has to convert.
bool load_quickly(PyObject *number, const ParameterType &parameter, std::byte *bytes) {
    const bool is_real = parameter.kind == 'f', is_complex = parameter.kind == 'c';
    const bool is_int = PyLong_CheckExact(number);
    if (is_real || is_complex) {
        double value = 0;
        if (PyFloat_CheckExact(number)) {
            value = PyFloat_AS_DOUBLE(number);
        } else {
            int overflow = 0;
            const long long whole = is_int ? PyLong_AsLongLongAndOverflow(number, &overflow) : 0;
            if (!is_int || overflow || std::llabs(whole) >= (1LL << 53)) return false;
            value = static_cast<double>(whole);
        }
        const ssize_t size = is_complex ? parameter.size / 2 : parameter.size;
        const double zero = 0;
        if (size == sizeof value) {
            std::memcpy(bytes, &value, sizeof value);
            if (is_complex) std::memcpy(bytes + sizeof value, &zero, sizeof zero);
            return true;
        }
        const auto narrow = static_cast<float>(value);
        if (size != sizeof narrow || (std::isinf(narrow) && !std::isinf(value))) return false; // numpy warns
        std::memcpy(bytes, &narrow, sizeof narrow);
        if (is_complex) std::memset(bytes + sizeof narrow, 0, sizeof narrow);
        return true;
    }
    if (!is_int || (parameter.kind != 'i' && parameter.kind != 'u')) return false;
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (overflow || !fits(value, parameter)) return false;
    std::memcpy(bytes, &value, static_cast<std::size_t>(parameter.size)); // little-endian
    return true;
}

} // namespace

TypesEntry::~TypesEntry() {
    for (PyObject *kind : kinds) release_object(kind);
}

std::shared_ptr<TypesEntry> ElementwiseTypes::find(const Operands &operands, PyObject *name, int outputs) {
    for (std::size_t at = 0; at < entries_.size(); ++at) {
        const TypesEntry &entry = *entries_[at];
        const bool same =
            entry.count == operands.count &&
            std::ranges::equal(operands, std::span(entry.kinds).first(static_cast<std::size_t>(entry.count)),
                               [](const Operand &one, PyObject *kind) {
                                   return (one.owner ? one.kind() : nullptr) == kind;
                               });
        if (!same) continue;
        if (at)
            std::rotate(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(at),
                        entries_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        return entries_.front();
    }
    std::shared_ptr<TypesEntry> entry = make(operands, name, outputs);
    if (!entry) return nullptr;
    if (entries_.size() >= most_entries) entries_.pop_back();
    entries_.insert(entries_.begin(), entry);
    return entry;
}

std::shared_ptr<TypesEntry> ElementwiseTypes::make(const Operands &operands, PyObject *name, int outputs) {
    auto entry = std::make_shared<TypesEntry>();
    const Reference kinds(PyTuple_New(operands.count));
    if (!kinds) return nullptr;
    for (const Operand &one : operands) {
        PyObject *kind = one.owner ? one.kind() : nullptr;
        PyTuple_SET_ITEM(kinds.get(), entry->count, Py_NewRef(kind ? kind : Py_None));
        entry->kinds.at(static_cast<std::size_t>(entry->count++)) = Py_XNewRef(kind);
    }
    const Reference answer(PyObject_CallMethod(maker_.get(), "types", "OOi", name, kinds.get(), outputs));
    if (!answer) return nullptr;
    PyObject *plan, *parameters;
    if (!PyArg_ParseTuple(answer.get(), "OO!iI:types", &plan, &PyTuple_Type, &parameters, &entry->pack,
                          &entry->written))
        return nullptr;
    entry->plan = Reference::borrow(plan);
    for (int at = 0; at < PyTuple_GET_SIZE(parameters); ++at) {
        ParameterType parameter;
        parameter.dtype = Reference(arrays::load_dtype(PyTuple_GET_ITEM(parameters, at), parameter.size));
        if (!parameter.dtype) return nullptr;
        parameter.kind = arrays::plain_kind(parameter.dtype.get());
        entry->parameters.push_back(std::move(parameter));
    }
    if (static_cast<int>(entry->parameters.size()) != operands.count) {
        PyErr_SetString(PyExc_SystemError, "types() must give a dtype for each operand");
        return nullptr;
    }
    return entry;
}

PyObject *ElementwiseTypes::kernel(TypesEntry &types, const KernelLayout &layout, int device) {
    const auto fits = [&](const TypesEntry::Variant &one) {
        return one.device == device && one.layout == layout;
    };
    const auto known = std::ranges::find_if(types.variants, fits);
    if (known != types.variants.end()) {
        const Kernel &kernel = *kernel_in(known->kernel.get());
        if (!code_object(kernel.code.get())->ended()) return Py_NewRef(known->kernel.get());
        types.variants.erase(known); // a reset or a fork ended it
    }
    Reference kernel(PyObject_CallMethod(
        maker_.get(), "kernel", "OiNNIN", types.plan.get(), layout.axes, PyBool_FromLong(layout.packed),
        PyBool_FromLong(layout.wide), static_cast<unsigned>(layout.plain), PyBool_FromLong(layout.ranged)));
    if (!kernel) return nullptr;
    if (!kernel_in(kernel.get())) {
        PyErr_SetString(PyExc_SystemError, "kernel() must give a Kernel");
        return nullptr;
    }
    types.variants.push_back({layout, device, Reference::borrow(kernel.get())});
    return kernel.release();
}

bool ElementwiseTypes::load_number(PyObject *number, const ParameterType &parameter, PyObject *name,
                                   std::byte *bytes, std::size_t most) {
    if (load_quickly(number, parameter, bytes)) return true;
    const Reference converted(
        PyObject_CallMethod(maker_.get(), "scalar", "OOO", name, number, parameter.dtype.get()));
    if (!converted) return false;
    char *data = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(converted.get(), &data, &size)) return false;
    if (size != parameter.size || static_cast<std::size_t>(size) > most) {
        PyErr_Format(PyExc_ValueError, "%U(): a number of %zd bytes is too large for a kernel's parameter",
                     name, size);
        return false;
    }
    std::memcpy(bytes, data, static_cast<std::size_t>(size));
    return true;
}

} // namespace pygpu::kernels
