// NVRTC whose cubins are PTX, which the host runtime runs. Everything else is the vendor's.
#include "compilers/vendor_library.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace {

using pygpu::compilers::names_machine;
using pygpu::compilers::vendor_function;

constexpr int INTERNAL_ERROR = 11; // NVRTC_ERROR_INTERNAL_ERROR

using Program = void *;

int compile(Program program, int count, const char *const *options) {
    static const auto call = vendor_function<int(Program, int, const char *const *)>("nvrtcCompileProgram");
    std::vector<std::string> virtual_ones;
    std::vector<const char *> given(options, options + (options && count > 0 ? count : 0));
    virtual_ones.reserve(given.size());
    for (const char *&option : given) {
        if (!names_machine(option)) continue;
        std::string text = option;
        text.replace(text.rfind("sm_"), 3, "compute_");
        option = virtual_ones.emplace_back(std::move(text)).c_str();
    }
    return call ? call(program, count, options ? given.data() : nullptr) : INTERNAL_ERROR;
}

} // namespace

PYGPU_EXPORT int nvrtcCompileProgram(Program program, int count, const char *const *options) {
    try {
        return compile(program, count, options);
    } catch (...) {
        return 1; // NVRTC_ERROR_OUT_OF_MEMORY
    }
}

PYGPU_EXPORT int nvrtcGetCUBINSize(Program program, std::size_t *size) {
    static const auto call = vendor_function<int(Program, std::size_t *)>("nvrtcGetPTXSize");
    return call ? call(program, size) : INTERNAL_ERROR;
}

PYGPU_EXPORT int nvrtcGetCUBIN(Program program, char *image) {
    static const auto call = vendor_function<int(Program, char *)>("nvrtcGetPTX");
    return call ? call(program, image) : INTERNAL_ERROR;
}

PYGPU_EXPORT const char *nvrtcGetErrorString(int result) {
    static const auto call = vendor_function<const char *(int)>("nvrtcGetErrorString");
    return call ? call(result) : "NVRTC_ERROR_INTERNAL_ERROR";
}

#define FORWARD(name) PYGPU_FORWARD(name, INTERNAL_ERROR)
FORWARD(nvrtcAddNameExpression)
FORWARD(nvrtcCreateProgram)
FORWARD(nvrtcDestroyProgram)
FORWARD(nvrtcGetBundledHeadersInfo)
FORWARD(nvrtcGetLTOIR)
FORWARD(nvrtcGetLTOIRSize)
FORWARD(nvrtcGetLoweredName)
FORWARD(nvrtcGetNVVM)
FORWARD(nvrtcGetNVVMSize)
FORWARD(nvrtcGetNumSupportedArchs)
FORWARD(nvrtcGetOptiXIR)
FORWARD(nvrtcGetOptiXIRSize)
FORWARD(nvrtcGetPCHCreateStatus)
FORWARD(nvrtcGetPCHHeapSize)
FORWARD(nvrtcGetPCHHeapSizeRequired)
FORWARD(nvrtcGetPTX)
FORWARD(nvrtcGetPTXSize)
FORWARD(nvrtcGetProgramLog)
FORWARD(nvrtcGetProgramLogSize)
FORWARD(nvrtcGetSupportedArchs)
FORWARD(nvrtcGetTileIR)
FORWARD(nvrtcGetTileIRSize)
FORWARD(nvrtcInstallBundledHeaders)
FORWARD(nvrtcRemoveBundledHeaders)
FORWARD(nvrtcSetFlowCallback)
FORWARD(nvrtcSetPCHHeapSize)
FORWARD(nvrtcVersion)
