// Waiting, and the text of the last fault.
#include "trace/locate.hpp"

#include "runtime/api.hpp"
#include "runtime/error_guard.hpp"
#include "trace/place.hpp"

#include <cstdio>
#include <dlfcn.h>
#include <utility>

namespace pygpu::trace {
namespace {

std::string last_text; // guarded by the GIL
int last_status = 0;
thread_local bool faulted = false;

template <class Function> Function *function_of(const Api &api, const char *name) {
    const std::string symbol = std::string(api.name) + name;
    return api.library ? reinterpret_cast<Function *>(dlsym(api.library, symbol.c_str())) : nullptr;
}

// Both vendors number them alike: cudaErrorStreamCaptureUnsupported to cudaErrorStreamCaptureWrongThread.
bool is_capture_error(int status) { return status >= 900 && status <= 908; }

std::string hexadecimal(const void *address) {
    char text[32];
    std::snprintf(text, sizeof text, "%#llx", reinterpret_cast<unsigned long long>(address));
    return address ? text : "0";
}

} // namespace

bool is_capturing(const Api &api, void *stream) {
    auto *const ask = function_of<int(void *, int *)>(api, "StreamIsCapturing");
    if (!ask) return true;
    if (!stream && api.per_thread) stream = reinterpret_cast<void *>(api.own.thread_stream);
    ErrorStateGuard guard(api.own); // relaxes the mode of captures
    int capturing = 0;
    const int asked = guard(ask(stream, &capturing));
    return capturing || is_capture_error(asked);
}

int wait_for(const Api &api, void *stream) {
    auto *const wait = function_of<int(void *)>(api, "StreamSynchronize");
    if (!wait || is_capturing(api, stream)) return 0;
    if (!stream && api.per_thread) stream = reinterpret_cast<void *>(api.own.thread_stream);
    const ErrorStateGuard guard(api.own);
    const int status = wait(stream); // also if asking has met the fault already
    faulted = status != 0;
    return status;
}

bool has_faulted() { return std::exchange(faulted, false); }

std::string name_of_kernel(const Api &api, const void *function) {
    const char *name = nullptr;
    ErrorStateGuard guard(api.own);
    for (const char *by : {"FuncGetName", "KernelGetName"}) { // a kernel of all contexts has the second one
        auto *const ask = function_of<int(const char **, const void *)>(api, by);
        if (ask && !guard(ask(&name, function)) && name) return name;
    }
    return hexadecimal(function);
}

void blame(const Api &api, const std::string &call, void *stream, int status) {
    const Place place = current_place();
    last_text = call;
    if (!place.file.empty())
        last_text += " at " + place.file + ":" + std::to_string(place.line) + " in " + place.function;
    last_text += ", on stream " + hexadecimal(stream);
    last_status = status;
    std::fprintf(stderr, "PyGPU: PYGPU_LOCATE: %s: error %d of %s\n", last_text.c_str(), status, api.label);
}

std::string blamed(int status) { return status && status == last_status ? last_text : ""; }

} // namespace pygpu::trace
