// Asking a runtime whether streams are being captured.
#include "arrays/streams/captures.hpp"

#include "runtime/api.hpp"

namespace pygpu::arrays {
int ask_capturing(const Runtime &runtime, Scope &scope, Stream stream, bool &capturing) {
    capturing = false;
    if (!stream && !runtime.api.per_thread) return success; // the legacy stream can't be captured
    return scope(runtime.stream_capturing(stream, &capturing));
}

int refuse_capture(const Runtime &runtime, Scope &scope, Stream stream) {
    bool capturing = false;
    const int status = scope(runtime.stream_capturing(stream, &capturing));
    return !status && capturing ? runtime.codes.capture_unsupported : status;
}

} // namespace pygpu::arrays
