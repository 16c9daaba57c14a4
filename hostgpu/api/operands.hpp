// Copies in the drivers' form: positions are in bytes, and each end is host memory, device memory or an
// array.
#pragma once

#include "api/copies_3d.hpp"
#include "api/find.hpp"

namespace pygpu::host {

enum class MemorySpace { host, device, array, either, nowhere };

// One end.
struct Operand {
    MemorySpace space;
    const void *host;
    const void *device;
    const ArrayTag *array;
    std::size_t x, y, z, pitch, height;
};

Status copy_operands(const std::shared_ptr<Stream> &stream, const Operand &to, const Operand &from,
                     const Size &size, Return when);

} // namespace pygpu::host
