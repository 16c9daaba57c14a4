// The device runtime's functions.
#include "ptx/read/device_runtime.hpp"

#include <algorithm>

namespace pygpu::host::ptx {
namespace {

struct Definition {
    std::string_view name, text;
};

// The handle of the grid is the address of the launch's workspace; there is none if the launch isn't
// cooperative.
constexpr std::string_view handle_text = R"(
.visible .func (.param .b64 value) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
    .reg .pred %is_grid;
    .reg .b32 %scope, %high, %low;
    .reg .b64 %workspace, %handle;
    ld.param.u32 %scope, [scope];
    mov.u32 %high, %envreg1;
    mov.u32 %low, %envreg2;
    mov.b64 %workspace, {%low, %high};
    setp.eq.u32 %is_grid, %scope, 1;
    selp.b64 %handle, %workspace, 0, %is_grid;
    st.param.b64 [value], %handle;
    ret;
}
)";

// One thread of each block counts it in, and waits until all blocks are there. The counter only grows. Its
// place is apart from that of grid.sync() of the header cooperative_groups.h.
constexpr std::string_view synchronize_text = R"(
.visible .func (.param .b32 value) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
    .reg .pred %p;
    .reg .b32 %r, %x, %y, %z, %status;
    .reg .b64 %handle, %blocks, %count, %now;
    ld.param.u64 %handle, [handle];
    mov.u32 %status, 1;
    setp.eq.u64 %p, %handle, 0;
    @%p bra done;
    bar.sync 0;
    mov.u32 %x, %tid.x;
    mov.u32 %y, %tid.y;
    mov.u32 %z, %tid.z;
    or.b32 %r, %x, %y;
    or.b32 %r, %r, %z;
    setp.ne.u32 %p, %r, 0;
    @%p bra together;
    mov.u32 %x, %nctaid.x;
    mov.u32 %y, %nctaid.y;
    mov.u32 %z, %nctaid.z;
    mul.wide.u32 %blocks, %x, %y;
    cvt.u64.u32 %now, %z;
    mul.lo.u64 %blocks, %blocks, %now;
    membar.gl;
    atom.add.u64 %count, [%handle+256], 1;
    div.u64 %count, %count, %blocks;
    add.u64 %count, %count, 1;
    mul.lo.u64 %count, %count, %blocks;
wait:
    ld.acquire.gpu.u64 %now, [%handle+256];
    setp.lt.u64 %p, %now, %count;
    @%p bra wait;
together:
    bar.sync 0;
    mov.u32 %status, 0;
done:
    st.param.b32 [value], %status;
    ret;
}
)";

// What kernels queue runs in the order of their calls, so that streams and events of kernels are names alone.
// Both get a handle that no object of the host has.
constexpr std::string_view stream_text = R"(
.visible .func (.param .b32 value) __cudaCDP2StreamCreateWithFlags(.param .b64 stream, .param .b32 flags)
{
    .reg .b64 %to;
    ld.param.u64 %to, [stream];
    st.u64 [%to], 16;
    st.param.b32 [value], 0;
    ret;
}
)";
constexpr std::string_view event_text = R"(
.visible .func (.param .b32 value) __cudaCDP2EventCreateWithFlags(.param .b64 event, .param .b32 flags)
{
    .reg .b64 %to;
    ld.param.u64 %to, [event];
    st.u64 [%to], 16;
    st.param.b32 [value], 0;
    ret;
}
)";
constexpr std::string_view stream_destroy_text = R"(
.visible .func (.param .b32 value) __cudaCDP2StreamDestroy(.param .b64 stream)
{
    st.param.b32 [value], 0;
    ret;
}
)";
constexpr std::string_view event_destroy_text = R"(
.visible .func (.param .b32 value) __cudaCDP2EventDestroy(.param .b64 event)
{
    st.param.b32 [value], 0;
    ret;
}
)";
constexpr std::string_view record_text = R"(
.visible .func (.param .b32 value) __cudaCDP2EventRecord(.param .b64 event, .param .b64 stream)
{
    st.param.b32 [value], 0;
    ret;
}
)";
constexpr std::string_view wait_text = R"(
.visible .func (.param .b32 value) __cudaCDP2StreamWaitEvent(.param .b64 stream, .param .b64 event,
                                                             .param .b32 flags)
{
    st.param.b32 [value], 0;
    ret;
}
)";

constexpr std::string_view malloc_text = R"(
.extern .func (.param .b64 memory) malloc(.param .b64 size);
.visible .func (.param .b32 value) __cudaCDP2Malloc(.param .b64 pointer, .param .b64 size)
{
    .reg .pred %p;
    .reg .b32 %status;
    .reg .b64 %to, %size, %memory;
    ld.param.u64 %to, [pointer];
    ld.param.u64 %size, [size];
    call (%memory), malloc, (%size);
    setp.eq.u64 %p, %memory, 0;
    selp.b32 %status, 2, 0, %p;
    st.u64 [%to], %memory;
    st.param.b32 [value], %status;
    ret;
}
)";
constexpr std::string_view free_text = R"(
.extern .func free(.param .b64 memory);
.visible .func (.param .b32 value) __cudaCDP2Free(.param .b64 pointer)
{
    .reg .b64 %memory;
    ld.param.u64 %memory, [pointer];
    call free, (%memory);
    st.param.b32 [value], 0;
    ret;
}
)";

// "no error" or "error of a launch by a kernel", whatever the number.
constexpr std::string_view error_text = R"(
.global .align 1 .b8 pygpu$no_error[9] = {110, 111, 32, 101, 114, 114, 111, 114, 0};
.global .align 1 .b8 pygpu$child_error[30] = {101, 114, 114, 111, 114, 32, 111, 102, 32, 97, 32, 108, 97, 117, 110,
    99, 104, 32, 98, 121, 32, 97, 32, 107, 101, 114, 110, 101, 108, 0};
.visible .func (.param .b64 value) __cudaCDP2GetErrorString(.param .b32 error)
{
    .reg .pred %p;
    .reg .b32 %error;
    .reg .b64 %good, %bad, %text;
    ld.param.u32 %error, [error];
    mov.u64 %good, pygpu$no_error;
    mov.u64 %bad, pygpu$child_error;
    cvta.global.u64 %good, %good;
    cvta.global.u64 %bad, %bad;
    setp.eq.u32 %p, %error, 0;
    selp.b64 %text, %good, %bad, %p;
    st.param.b64 [value], %text;
    ret;
}
)";

constexpr Definition definitions[] = {{"cudaCGGetIntrinsicHandle", handle_text},
                                      {"cudaCGSynchronize", synchronize_text},
                                      {"__cudaCDP2StreamCreateWithFlags", stream_text},
                                      {"__cudaCDP2StreamDestroy", stream_destroy_text},
                                      {"__cudaCDP2StreamWaitEvent", wait_text},
                                      {"__cudaCDP2EventCreateWithFlags", event_text},
                                      {"__cudaCDP2EventRecord", record_text},
                                      {"__cudaCDP2EventDestroy", event_destroy_text},
                                      {"__cudaCDP2Malloc", malloc_text},
                                      {"__cudaCDP2Free", free_text},
                                      {"__cudaCDP2GetErrorString", error_text}};

// Whether the text declares a function by .extern, and never without.
bool only_declares(std::string_view text, std::string_view name) {
    bool declared = false;
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + name.size())) {
        const std::size_t end = text.find_last_of(";{}", at);
        const std::string_view before = text.substr(end == text.npos ? 0 : end + 1, at - end - 1);
        if (before.find(".func") == before.npos) continue; // a call
        if (before.find(".extern") == before.npos) return false;
        declared = true;
    }
    return declared;
}

} // namespace

bool is_in_device_runtime(std::string_view name) {
    return std::ranges::any_of(definitions, [&](const Definition &one) { return one.name == name; });
}

std::string device_runtime_for(std::string_view module) {
    std::string text;
    for (const Definition &one : definitions)
        if (only_declares(module, one.name)) text += one.text;
    return text;
}

} // namespace pygpu::host::ptx
