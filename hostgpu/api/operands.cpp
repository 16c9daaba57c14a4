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

} // namespace

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
