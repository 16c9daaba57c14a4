// Kernels, how one is launched, and its arguments.
#pragma once

#include "base/status.hpp"
#include "base/types.hpp"
#include "code/code.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace pygpu::host {

namespace ptx {
class Loaded;
struct Function;
} // namespace ptx

struct Kernel {
    std::string name;                      // as in the device code
    std::optional<Signature> parameters{}; // empty where the code doesn't say
    const void *image = nullptr;           // a compiled program's
    std::shared_ptr<ptx::Loaded> code{};   // where it is PTX
    const ptx::Function *entry = nullptr;
    bool is_cubin = false; // there is only machine code for a card
    // How much dynamic shared memory it may have; 0 where the program hasn't said.
    std::shared_ptr<std::atomic<int>> dynamic_shared = std::make_shared<std::atomic<int>>(0);
    // Whether its clusters may have more than eight blocks.
    std::shared_ptr<std::atomic<bool>> large_clusters = std::make_shared<std::atomic<bool>>(false);
};

// How a kernel is launched.
struct Launch {
    Dim grid, block;
    std::size_t shared;
    StreamTag *stream;
    bool cooperative = false;       // all blocks run at once
    const void *function = nullptr; // as the caller names the kernel
    bool in_clusters = false;       // of blocks: `cluster` says how many
    Dim cluster{1, 1, 1};
};

// The drivers' keys in `extra`, and attributes of launches that count here; all vendors number them alike.
inline constexpr std::uintptr_t packed_values = 1, packed_size = 2;
inline constexpr int cooperative_attribute = 2, priority_attribute = 8;

// A kernel's arguments: a pointer to each value, or one block with all values at the offsets of the
// parameters.
struct Arguments {
    void *const *pointers = nullptr;
    const void *block = nullptr;
    std::size_t size = 0; // of the block
};

// The forms in which callers give them: not both at once.
Status read_arguments(void *const *pointers, void **extra, Arguments &arguments);

// Copies arguments to the offsets of the parameters, into memory of at least end_of() bytes; false where a
// value is missing.
std::size_t end_of(const Signature &parameters);
bool copy_arguments(const Signature &parameters, const Arguments &arguments, char *to);

} // namespace pygpu::host
