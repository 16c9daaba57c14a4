// What an image of device code says of itself: its kernels with their parameters, and its variables.
#pragma once

#include "ptx/read/program.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pygpu::host {

struct Parameter {
    std::size_t offset; // in the block of all parameters
    std::size_t size;
    std::string type; // PTX's: "u64", "f32", "b8" for bytes; empty where only the size is known
};

using Signature = std::vector<Parameter>;

struct CodeKernel {
    std::string name;
    std::optional<Signature> parameters; // none where the image doesn't say
};

struct Code {
    std::vector<CodeKernel> kernels;
    std::vector<ptx::Global> variables;
    std::vector<std::string> texture_references{}; // their names
    std::shared_ptr<const ptx::Program> program{}; // of PTX
    bool is_cubin = false;                         // it holds only machine code for a card
};

// What came of reading an image, with a sentence on what is wrong or missing.
struct ReadCode {
    enum class Result { done, invalid_image, invalid_ptx, no_binary };
    Result result = Result::done;
    std::string why{};
};

// Reads PTX, a cubin, a fat binary or AMD's code object. `image` may reach beyond the end of the image
// itself: it ends with the readable memory.
ReadCode read_code(std::string_view image, Code &code);

// Each reads one kind of image, from its first byte on. The PTX holds no NUL.
ReadCode read_ptx(std::string_view text, Code &code);
ReadCode read_elf(std::string_view image, Code &code);
ReadCode read_fatbin(std::string_view image, Code &code);

// The image of a fat binary that is read: PTX, where it holds any, else a cubin.
ReadCode unpack_fatbin(std::string_view image, std::string &whole, bool &is_ptx);

} // namespace pygpu::host
