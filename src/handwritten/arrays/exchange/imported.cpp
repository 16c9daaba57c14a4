// Reading tensors.
#include "arrays/exchange/imported.hpp"

#include "arrays/exchange/adopted.hpp"
#include "arrays/exchange/device.hpp"
#include "arrays/exchange/dtype.hpp"
#include "common/checked_int.hpp"

#include <cstdint>
#include <utility>

namespace pygpu::arrays {
namespace {

bool refuse(const char *call, const char *why) {
    PyErr_Format(PyExc_BufferError, "%s: %s", call, why);
    return false;
}

// Reads shape and strides (in bytes). `lowest` and `end` are the lowest address and the end of the highest
// one, relative to the first element.
bool load_layout(const char *call, const DLTensor &tensor, Layout &layout, ssize_t &lowest, ssize_t &end) {
    if (tensor.ndim < 0 || tensor.ndim > most_axes || (tensor.ndim && !tensor.shape)) [[unlikely]]
        return refuse(call, "the tensor has no shape, or too many axes");
    layout.axes = tensor.ndim;
    layout.itemsize = tensor.dtype.bits * tensor.dtype.lanes / 8;
    bool is_empty = false, is_compact = true;
    // The bytes of the axes so far. An empty axis counts as 1, since the other axes alone must stay in range.
    CheckedInt<ssize_t> bytes = layout.itemsize;
    for (int axis = layout.axes; axis--;) {
        const ssize_t extent = layout.shape[axis] = tensor.shape[axis], compact = bytes.saturated();
        if (extent < 0) [[unlikely]]
            return refuse(call, "the tensor has a negative extent");
        is_empty |= !extent;
        bytes *= extent ? extent : 1;
        layout.strides[axis] = compact;
        if (!tensor.strides) continue;
        const auto stride = CheckedInt<ssize_t>(tensor.strides[axis]) * layout.itemsize;
        if (!stride.fits(layout.strides[axis])) {
            if (extent > 1) return refuse(call, "the tensor's strides reach further than any memory");
            layout.strides[axis] = layout.itemsize;
        }
        is_compact &= extent <= 1 || layout.strides[axis] == compact;
    }
    if (!bytes.fits()) [[unlikely]]
        return refuse(call, "the tensor is larger than any memory");
    if (!is_empty && !tensor.data) [[unlikely]]
        return refuse(call, "the tensor has elements, but no memory");
    lowest = 0;
    end = is_empty ? 0 : bytes.value_or(0);
    return is_compact || is_empty || layout.span(lowest, end) ||
           refuse(call, "the tensor's strides reach further than any memory");
}

// Null if not all elements have an address.
char *first_element(const DLTensor &tensor, ssize_t lowest, ssize_t end) {
    std::uintptr_t address = reinterpret_cast<std::uintptr_t>(tensor.data);
    if (!(CheckedInt(address) + tensor.byte_offset).fits(address)) return nullptr;
    auto *first = reinterpret_cast<char *>(address);
    return have_addresses(first, lowest, end) ? first : nullptr;
}

template <class Managed>
bool import_managed(const char *call, const Runtime &runtime, Managed *managed, const StreamArgument &stream,
                    Imported &imported) {
    Loan loan(
        [](void *what) {
            auto *its = static_cast<Managed *>(what);
            if (its->deleter) its->deleter(its);
        },
        managed);
    bool &readonly = imported.readonly;
    if constexpr (requires { managed->version; }) {
        if (managed->version.major != DLPACK_MAJOR_VERSION)
            return refuse(call, "the tensor is of a later major version of DLPack");
        readonly |= (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
    }
    const DLTensor &tensor = managed->dl_tensor;
    Buffer::Location location;
    ssize_t lowest = 0, end = 0;
    imported.dtype =
        imported.may_be_bytes ? dtype_or_bytes_of(call, tensor.dtype) : dtype_of(call, tensor.dtype);
    if (!imported.dtype || !load_location(call, runtime, tensor.device, location) ||
        !load_layout(call, tensor, imported.layout, lowest, end))
        return false;
    const int device = device_of_tensor(runtime, tensor.device);
    char *begin = end > lowest ? first_element(tensor, lowest, end) : nullptr;
    if (!begin && end > lowest)
        return refuse(call, "the tensor's byte_offset reaches further than any memory");
    imported.data = begin;
    const auto size = static_cast<std::size_t>(end - lowest);
    if (runtime.on_host && begin && !adopt(runtime, begin + lowest, size, device, readonly, loan))
        return false;
    imported.buffer = Buffer::make(runtime, Buffer::Kind::lent, begin ? begin + lowest : nullptr, size,
                                   device, stream_on(stream, device));
    if (!imported.buffer) return false;
    imported.buffer->location = location;
    imported.buffer->readonly = readonly;
    imported.buffer->keep_loan(std::move(loan));
    return true;
}

} // namespace

int device_of_tensor(const Runtime &runtime, const DLDevice &device) {
    if (device.device_type == runtime.of_device) return device.device_id;
    const Scope scope(runtime);
    return scope.device() < 0 ? 0 : scope.device();
}

bool import_tensor(const char *call, const Runtime &runtime, DLManagedTensorVersioned *managed,
                   const StreamArgument &stream, Imported &imported) {
    return import_managed(call, runtime, managed, stream, imported);
}

bool import_tensor(const char *call, const Runtime &runtime, DLManagedTensor *managed,
                   const StreamArgument &stream, Imported &imported) {
    return import_managed(call, runtime, managed, stream, imported);
}

} // namespace pygpu::arrays
