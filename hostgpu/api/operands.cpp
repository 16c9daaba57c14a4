// Checks: ihipMemcpyParam3D() of hipamd/src/hip_memory.cpp of ROCm/clr, and what an H200 answers.
#include "api/operands.hpp"

namespace pygpu::host {
namespace {

Status block_of(const Operand &end, const Size &size, StridedBlock &block) {
    if (end.space == MemorySpace::array) {
        const auto array = find_array(end.array);
        if (!array) return Status::invalid_value;
        const Size all = array->size();
        if (!lie_within(end.x, size.width, all.width) || !lie_within(end.y, size.height, all.height) ||
            !lie_within(end.z, size.depth, all.depth))
            return Status::invalid_value;
        block = array->block();
    } else {
        const void *base = end.space == MemorySpace::host ? end.host : end.device;
        const std::size_t pitch = end.pitch ? end.pitch : (CheckedInt(end.x) + size.width).saturated();
        if (end.space == MemorySpace::nowhere || !base || !lie_within(end.x, size.width, pitch))
            return Status::invalid_value;
        block = flat(base);
        block.pitch = pitch;
        block.slice =
            (CheckedInt(end.height ? end.height : CheckedInt(end.y) + size.height) * pitch).saturated();
    }
    return begin_at({end.x, end.y, end.z}, block);
}

int kind_of(const Operand &to, const Operand &from) {
    if (to.space == MemorySpace::either || from.space == MemorySpace::either) return by_address;
    const bool to_host = to.space == MemorySpace::host;
    if (from.space == MemorySpace::host) return to_host ? host_to_host : host_to_device;
    return to_host ? device_to_host : device_to_device;
}

std::size_t element_of(const ArrayTag *array) {
    const auto object = array ? arrays().find(array) : nullptr;
    return object ? object->element : 1;
}

} // namespace

Copy3D in_runtime_form(const Operand &to, const Operand &from, const Size &size) {
    Copy3D copy{};
    std::size_t element = 1;
    const auto set = [&](const Operand &end, ArrayTag *&array, Position &at, Pitched &memory) {
        if (end.space == MemorySpace::array) {
            array = const_cast<ArrayTag *>(end.array);
            element = element_of(array);
            at = {end.x / element, end.y, end.z};
            return;
        }
        const void *const base = end.space == MemorySpace::host ? end.host : end.device;
        memory = {const_cast<void *>(base), end.pitch, end.pitch, end.height};
        at = {end.x, end.y, end.z};
    };
    set(from, copy.src_array, copy.src_pos, copy.src_ptr);
    set(to, copy.dst_array, copy.dst_pos, copy.dst_ptr);
    copy.extent = {size.width / element, size.height, size.depth};
    copy.kind = static_cast<unsigned>(kind_of(to, from));
    return copy;
}

void to_operands(const Copy3D &copy, Operand &to, Operand &from, Size &size) {
    const int kind = static_cast<int>(copy.kind);
    const std::size_t element = element_of(copy.dst_array ? copy.dst_array : copy.src_array);
    const auto set = [&](Operand &end, const ArrayTag *array, const Position &at, const Pitched &memory,
                         bool host) {
        const MemorySpace space = array                ? MemorySpace::array
                                  : kind == by_address ? MemorySpace::either
                                  : host               ? MemorySpace::host
                                                       : MemorySpace::device;
        end = {space,
               host && kind != by_address ? memory.ptr : nullptr,
               host && kind != by_address ? nullptr : memory.ptr,
               array,
               array ? at.x * element : at.x,
               at.y,
               at.z,
               memory.pitch,
               memory.ysize};
    };
    set(from, copy.src_array, copy.src_pos, copy.src_ptr, kind == host_to_host || kind == host_to_device);
    set(to, copy.dst_array, copy.dst_pos, copy.dst_ptr, kind == host_to_host || kind == device_to_host);
    size = {copy.extent.width * element, copy.extent.height, copy.extent.depth};
}

Status copy_operands(const std::shared_ptr<Stream> &stream, const Operand &to, const Operand &from,
                     const Size &size, Return when) {
    if (size.empty()) return Status::success;
    StridedBlock target{}, source{};
    Status status = block_of(from, size, source);
    if (status == Status::success) status = block_of(to, size, target);
    if (status != Status::success) return status;
    return transfer(stream, target, source, size, kind_of(to, from), when);
}

} // namespace pygpu::host
