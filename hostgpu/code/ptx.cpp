// What a program of PTX offers: its kernels with their parameters, and its variables.
#include "code/code.hpp"
#include "common/ptx/lexer.hpp"
#include "ptx/read/device_runtime.hpp"

namespace pygpu::host {
namespace {

Signature signature_of(const ptx::Function &kernel) {
    Signature signature;
    std::size_t end = 0;
    for (const ptx::Formal &formal : kernel.parameters) {
        const ptx::Variable &one = kernel.variables[formal.index];
        const std::size_t offset = (end + one.alignment - 1) / one.alignment * one.alignment;
        signature.push_back({offset, one.size, std::string(one.type)});
        end = offset + one.size;
    }
    return signature;
}

} // namespace

ReadCode read_ptx(std::string_view text, Code &code) {
    try {
        code.program = ptx::parse(std::string(text) + ptx::device_runtime_for(text));
    } catch (const ptx::Problem &problem) {
        return {ReadCode::Result::invalid_ptx, "line " + std::to_string(problem.line) + ": " + problem.what};
    }
    for (const auto &function : code.program->functions) {
        if (function->entry) code.kernels.push_back({std::string(function->name), signature_of(*function)});
    }
    code.variables = code.program->globals;
    code.texture_references = code.program->texture_references;
    return {};
}

} // namespace pygpu::host
