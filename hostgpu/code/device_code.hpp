// Kernels that are PTX: their variables' addresses, and running them in a stream's order.
#pragma once

#include "code/kernel.hpp"
#include "memory/allocation.hpp"
#include "ptx/read/loaded.hpp"
#include "streams/stream.hpp"

#include <memory>
#include <vector>

namespace pygpu::host {

// A variable of device code, and its memory on one device.
struct Variable {
    std::string name;
    Memory memory;
    std::size_t size;
    bool managed;
};

// Links the program of an image with its variables on a device; null where the image holds no PTX. Initial
// values that are addresses are written into the variables. A texture's address is its handle.
using NamedHandles = std::vector<std::pair<std::string, void *>>;
std::shared_ptr<ptx::Loaded> link_code(const Code &code, const std::vector<Variable> &variables,
                                       const NamedHandles &textures = {});

// A kernel of an image.
Kernel kernel_in(const Code &code, const CodeKernel &from, std::shared_ptr<ptx::Loaded> loaded);

// Queues a launch of a kernel's PTX.
Status launch_code(const Kernel &kernel, const Launch &launch, const std::shared_ptr<Stream> &stream,
                   const Arguments &arguments);

} // namespace pygpu::host
