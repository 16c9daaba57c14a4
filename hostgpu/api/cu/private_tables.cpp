// NVIDIA's private tables, which no public header describes: whoever asks for them is told that there are
// none.
#include "api/cu/implemented.hpp"

#include "base/report.hpp"

#include <string>

#include <dlfcn.h>
#include <execinfo.h>

namespace pygpu::host::cu {
namespace {

std::string file_of(const void *address) {
    Dl_info about;
    const char *file = dladdr(address, &about) ? about.dli_fname : nullptr;
    return file ? file : "";
}

// The file of the program or library that called this one.
std::string calling_file() {
    void *frames[16];
    const int count = backtrace(frames, 16);
    const std::string own = file_of(reinterpret_cast<const void *>(&calling_file));
    for (int i = 0; i < count; ++i)
        if (const std::string file = file_of(frames[i]); !file.empty() && file != own) return file;
    return "the program";
}

// NVIDIA's compilers ask, too, and do without.
bool is_compiler(const std::string &file) {
    return file.find("/libnvrtc.") != std::string::npos || file.find("/libnvJitLink.") != std::string::npos;
}

} // namespace

Status GetExportTable(const void **table, const c::CUuuid *) {
    if (!table) return Status::invalid_value;
    *table = nullptr;
    const std::string file = calling_file();
    if (!is_compiler(file))
        report_once(file +
                    " asks for the driver's private tables, as NVIDIA's static runtime does. They aren't "
                    "here: use a build with the shared runtime (nvcc -cudart shared)");
    return Status::not_supported;
}

} // namespace pygpu::host::cu
