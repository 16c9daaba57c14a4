// Comparing what pointers in structs lead to with what C touches there.
#include "types/structs/lengths.hpp"

#include "convert/buffer_size.hpp"
#include "python/gil.hpp"
#include "runtime/api.hpp"
#include "runtime/error_guard.hpp"
#include "types/handles/handle_class.hpp"
#include "types/launch/sizes.hpp"
#include "types/structs/pointers.hpp"

namespace pygpu {
std::size_t size_behind(const std::byte *data, const PointerOwners &owners, const ArgumentContext &context) {
    PyObject *owner = owners.get();
    if (!owner || as_struct(owner)) return Memory::unknown;
    Memory memory;
    if (!memory.load(owner, context, Access::address)) {
        PyErr_Clear();
        return Memory::unknown;
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.pointer());
    const auto pointer = reinterpret_cast<std::uintptr_t>(loaded_pointer(data));
    // Since then, the user may have written the bytes of the struct directly.
    const bool inside = pointer >= begin && pointer - begin <= memory.size();
    return inside && memory.size() != Memory::unknown ? memory.size() - (pointer - begin) : Memory::unknown;
}

namespace {

// Whether a struct with the arguments of a launch has as many as its kernel takes, or one inside of it.
bool check_launch(StructClass &kind, std::size_t layout, const std::byte *data, const PointerOwners &owners,
                  const ArgumentContext &context) {
    const StructTables &tables = kind.tables();
    const void *kernel = nullptr;
    const Field *arguments = nullptr;
    for (const Field &field : kind.layout(layout).fields) {
        const bool is_code = field.role == Role::pointer && field.item_role == Role::code;
        if (is_code || (field.role == Role::handle && tables.handles[field.index].is_kernel()))
            kernel = kernel ? kernel : loaded_pointer(data + field.offset);
        if (field.role == Role::pointer && field.item_role == Role::arguments) arguments = &field;
        if (field.role != Role::nested || field.count) continue;
        const FieldPath step{context.path, field.name};
        if (!check_launch(tables.structs[field.index], field.layout, data + field.offset,
                          owners.at(field.offset), context.within(step)))
            return false;
    }
    const LaunchValues *values = arguments ? values_at(owners.at(arguments->offset)) : nullptr;
    if (!values) return true;
    const FieldPath step{context.path, arguments->name};
    return check_sizes(*values, kernel, context.within(step));
}

} // namespace

bool check_lengths(StructClass &kind, const std::byte *data, const PointerOwners &owners,
                   const ArgumentContext &context) {
    if (!*owners.dict || !PyDict_GET_SIZE(*owners.dict)) return true;
    if (!check_launch(kind, kind.current(), data, owners, context)) return false;
    auto *lengths = kind.layout(kind.current()).lengths;
    if (!lengths) return true;
    StructLengths all(kind.tables().api, data, owners, context);
    lengths(all);
    return all.good();
}

std::size_t StructLengths::bytes_behind(std::size_t offset) const {
    return good_ ? size_behind(data_ + offset, owners_.at(offset), context_) : Memory::unknown;
}

void StructLengths::need(const char *path, std::size_t size, std::size_t bytes) {
    if (size >= bytes) return;
    const FieldPath step{context_.path, path};
    too_short(context_.within(step), bytes, size);
    good_ = false;
}

void StructLengths::enter(std::size_t offset, const char *path, void (*lengths)(StructLengths &of)) {
    if (!good_) return;
    const FieldPath step{context_.path, path};
    const ArgumentContext inner = context_.within(step);
    StructLengths nested(api_, data_ + offset, owners_.at(offset), inner);
    lengths(nested);
    good_ = nested.good_;
}

std::size_t StructLengths::element(std::size_t array) const {
    const OwnCalls &own = api_.own;
    if (!array || !own.array_bits) return 1;
    int bits = 0;
    GilReleased released(true);
    const int status =
        guarding_error_state(own, [&] { return own.array_bits(reinterpret_cast<void *>(array), &bits); });
    return status || bits < 8 ? 1 : static_cast<std::size_t>(bits) / 8;
}

} // namespace pygpu
