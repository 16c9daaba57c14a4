// Makes the calls of test_driver.py in C++, in the same order, and prints the answers.
//
//   twin LIBRARY TOPIC PTX-FILE [HANDLE-IN-HEX]
//
// Prints a line for each answer: a call's status, or a value. Functions are looked up by the names that the
// library exports. Their parameters are declared here, as in the driver's manual.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using Pointer = unsigned long long; // CUdeviceptr
using Handle = void *;

void *library;
std::string code;

void tell(const char *what, long long value) { std::printf("%s %lld\n", what, value); }
void tell(const char *what, const std::string &text) { std::printf("%s %s\n", what, text.c_str()); }

// Calls an exported function, and prints its status with the name without the version.
template <class... Arguments> int call(const char *symbol, Arguments... arguments) {
    auto *function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, symbol));
    const int status = function ? function(arguments...) : 302;
    std::string name(symbol);
    if (const auto version = name.rfind("_v"); version != name.npos) name.resize(version);
    tell(name.c_str(), status);
    return status;
}

bool has(const char *symbol) { return dlsym(library, symbol); }

Handle begin() {
    Handle context = nullptr;
    int device = -1;
    call("cuInit", 0u);
    call("cuDeviceGet", &device, 0);
    if (has("cuCtxCreate_v4")) // of CUDA 12.5
        call("cuCtxCreate_v4", &context, static_cast<void *>(nullptr), 0u, device);
    else
        call("cuCtxCreate_v2", &context, 0u, device);
    return context;
}

void end(Handle context) { call("cuCtxDestroy_v2", context); }

Handle module_of(const char *image) {
    Handle module = nullptr;
    call("cuModuleLoadData", &module, static_cast<const void *>(image));
    return module;
}

Handle kernel_of(Handle module, const char *name) {
    Handle kernel = nullptr;
    call("cuModuleGetFunction", &kernel, module, name);
    return kernel;
}

void tell_floats(const char *what, Pointer memory, std::size_t count) {
    std::vector<float> back(count, -1);
    call("cuMemcpyDtoH_v2", static_cast<void *>(back.data()), memory, count * 4);
    double sum = 0;
    for (float one : back) sum += one;
    tell(what, static_cast<long long>(sum));
}

// Device memory with `count` floats: 0, 1, 2 and so on.
Pointer counted(std::size_t count) {
    Pointer memory = 0;
    std::vector<float> host(count);
    for (std::size_t at = 0; at < count; ++at) host[at] = static_cast<float>(at);
    call("cuMemAlloc_v2", &memory, count * 4);
    call("cuMemcpyHtoD_v2", memory, static_cast<const void *>(host.data()), count * 4);
    return memory;
}

void launch(Handle kernel, Pointer memory, float factor, unsigned count, Handle stream,
            unsigned threads = 128) {
    void *arguments[] = {&memory, &factor, &count};
    call("cuLaunchKernel", kernel, (count + 127) / 128, 1u, 1u, threads, 1u, 1u, 0u, stream,
         static_cast<void **>(arguments), static_cast<void **>(nullptr));
}

void contexts() {
    Handle context = begin(), current = nullptr, popped = nullptr;
    int device = -1;
    unsigned version = 0, flags = 77;
    std::size_t limit = 0;
    call("cuCtxGetCurrent", &current);
    tell("current", current == context);
    call("cuCtxGetDevice", &device);
    tell("device", device);
    call("cuCtxGetApiVersion", context, &version);
    tell("version", version);
    call("cuCtxGetFlags", &flags);
    tell("flags", flags);
    call("cuCtxSetLimit", 0, std::size_t{4096});
    call("cuCtxGetLimit", &limit, 0);
    tell("stack", static_cast<long long>(limit));
    call("cuCtxGetLimit", &limit, 99);
    int least = 9, greatest = 9;
    call("cuCtxGetStreamPriorityRange", &least, &greatest);
    tell("least", least);
    tell("greatest", greatest);
    call("cuCtxSynchronize");
    call("cuCtxPopCurrent_v2", &popped);
    tell("popped", popped == context);
    call("cuCtxGetCurrent", &current);
    tell("none", current == nullptr);
    call("cuCtxPushCurrent_v2", context);
    call("cuCtxSetCurrent", context);
    call("cuCtxPopCurrent_v2", &popped);
    end(context);
    Handle primary = nullptr;
    int active = 9;
    call("cuDevicePrimaryCtxRetain", &primary, 0);
    call("cuDevicePrimaryCtxGetState", 0, &flags, &active);
    tell("active", active);
    call("cuDevicePrimaryCtxRelease_v2", 0);
    call("cuDevicePrimaryCtxRetain", &primary, 999);
    int count = 0;
    call("cuDeviceGetCount", &count);
    tell("devices", count);
    for (int attribute : {1, 2, 5, 8, 10, 16, 39, 75, 76}) {
        int value = -1;
        call("cuDeviceGetAttribute", &value, attribute, 0);
        tell("attribute", value);
    }
    int value = -1;
    call("cuDeviceGetAttribute", &value, 100000, 0);
    char name[100] = "";
    call("cuDeviceGetName", static_cast<char *>(name), 100, 0);
    tell("name", std::string(name));
}

void modules() {
    Handle context = begin();
    Handle module = module_of(code.c_str());
    Pointer address = 0;
    std::size_t size = 0;
    kernel_of(module, "scale");
    kernel_of(module, "nowhere");
    call("cuModuleGetGlobal_v2", &address, &size, module, "answer");
    tell("size", static_cast<long long>(size));
    unsigned long long answer = 0;
    call("cuMemcpyDtoH_v2", static_cast<void *>(&answer), address, std::size_t{8});
    tell("answer", static_cast<long long>(answer));
    call("cuModuleGetGlobal_v2", &address, &size, module, "nothing");
    unsigned count = 0;
    call("cuModuleGetFunctionCount", &count, module);
    tell("count", count);
    call("cuModuleUnload", module);
    call("cuModuleLoadData", &module, static_cast<const void *>("rubbish"));
    call("cuModuleLoad", &module, "/nonexistent");
    end(context);
}

void launches() {
    Handle context = begin();
    Handle kernel = kernel_of(module_of(code.c_str()), "scale");
    for (int attribute : {0, 1, 3}) {
        int value = -1;
        call("cuFuncGetAttribute", &value, attribute, kernel);
        tell("attribute", value);
    }
    std::size_t offset = 9, size = 9;
    for (std::size_t at : {0, 1, 2, 3}) {
        call("cuFuncGetParamInfo", kernel, at, &offset, &size);
        tell("offset", at < 3 ? static_cast<long long>(offset) : 0);
        tell("size", at < 3 ? static_cast<long long>(size) : 0);
    }
    Pointer memory = counted(1000);
    launch(kernel, memory, 3, 1000, nullptr);
    call("cuCtxSynchronize");
    tell_floats("sum", memory, 1000);
    Handle stream = nullptr;
    call("cuStreamCreate", &stream, 1u);
    launch(kernel, memory, 2, 500, stream);
    call("cuStreamSynchronize", stream);
    tell_floats("sum", memory, 1000);
    launch(kernel, memory, 2, 500, stream, 4096);
    call("cuStreamDestroy_v2", stream);
    call("cuMemFree_v2", memory);
    end(context);
}

void occupancy() {
    Handle context = begin();
    Handle kernel = kernel_of(module_of(code.c_str()), "scale");
    for (int threads : {32, 256, 1024}) {
        int blocks = -1;
        call("cuOccupancyMaxActiveBlocksPerMultiprocessor", &blocks, kernel, threads, std::size_t{0});
        tell("blocks", blocks);
        call("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", &blocks, kernel, threads,
             std::size_t{40960}, 0u);
        tell("blocks", blocks);
    }
    int grid = -1, block = -1;
    call("cuOccupancyMaxPotentialBlockSize", &grid, &block, kernel, static_cast<void *>(nullptr),
         std::size_t{0}, 0);
    tell("grid", grid);
    tell("block", block);
    std::size_t room = 0;
    call("cuOccupancyAvailableDynamicSMemPerBlock", &room, kernel, 2, 128);
    tell("room", static_cast<long long>(room));
    end(context);
}

void streams() {
    Handle context = begin();
    Handle stream = nullptr, other = nullptr, event = nullptr, untimed = nullptr, of = nullptr;
    unsigned flags = 9;
    int priority = 9;
    call("cuStreamCreateWithPriority", &stream, 1u, 0);
    call("cuStreamCreate", &other, 0u);
    call("cuStreamGetFlags", stream, &flags);
    tell("flags", flags);
    call("cuStreamGetPriority", stream, &priority);
    tell("priority", priority);
    call("cuStreamGetCtx", stream, &of);
    tell("context", of == context);
    call("cuStreamQuery", stream);
    call("cuStreamCreate", &of, 77u);
    call("cuEventCreate", &event, 0u);
    call("cuEventCreate", &untimed, 2u);
    call("cuEventRecord", event, stream);
    call("cuStreamWaitEvent", other, event, 0u);
    call("cuEventSynchronize", event);
    call("cuEventQuery", event);
    call("cuEventRecord", untimed, stream);
    call("cuStreamSynchronize", stream);
    float time = -1;
    call(has("cuEventElapsedTime_v2") ? "cuEventElapsedTime_v2" : "cuEventElapsedTime", &time, event,
         untimed);
    int status = 9;
    call("cuStreamIsCapturing", stream, &status);
    tell("capturing", status);
    for (Handle one : {event, untimed}) call("cuEventDestroy_v2", one);
    for (Handle one : {stream, other}) call("cuStreamDestroy_v2", one);
    end(context);
}

struct KernelNode { // CUDA_KERNEL_NODE_PARAMS_v2
    Handle func;
    unsigned grid[3], block[3], shared;
    void **parameters, **extra;
    Handle kern, context;
};
struct MemsetNode { // CUDA_MEMSET_NODE_PARAMS
    Pointer dst;
    std::size_t pitch;
    unsigned value, element;
    std::size_t width, height;
};

void graphs() {
    Handle context = begin();
    Handle kernel = kernel_of(module_of(code.c_str()), "scale");
    Pointer memory = counted(256);
    float factor = 2;
    unsigned number = 256;
    void *arguments[] = {&memory, &factor, &number};
    Handle graph = nullptr, set = nullptr, scaled = nullptr, exec = nullptr;
    call("cuGraphCreate", &graph, 0u);
    const MemsetNode ones{memory, 0, 0x3f800000, 4, 256, 1};
    call("cuGraphAddMemsetNode", &set, graph, static_cast<Handle *>(nullptr), std::size_t{0}, &ones, context);
    const KernelNode node{kernel, {2, 1, 1}, {128, 1, 1}, 0, arguments, nullptr, nullptr, nullptr};
    call("cuGraphAddKernelNode_v2", &scaled, graph, &set, std::size_t{1}, &node);
    std::size_t nodes = 0;
    call("cuGraphGetNodes", graph, static_cast<Handle *>(nullptr), &nodes);
    tell("nodes", static_cast<long long>(nodes));
    int type = -1;
    call("cuGraphNodeGetType", scaled, &type);
    tell("type", type);
    call("cuGraphInstantiateWithFlags", &exec, graph, 0ULL);
    call("cuGraphLaunch", exec, static_cast<Handle>(nullptr));
    call("cuGraphLaunch", exec, static_cast<Handle>(nullptr));
    call("cuCtxSynchronize");
    tell_floats("sum", memory, 256);
    Handle stream = nullptr, captured = nullptr;
    call("cuStreamCreate", &stream, 1u);
    call("cuStreamBeginCapture_v2", stream, 0);
    call("cuMemsetD32Async", memory, 0u, std::size_t{256}, stream);
    call("cuStreamEndCapture", stream, &captured);
    nodes = 0;
    call("cuGraphGetNodes", captured, static_cast<Handle *>(nullptr), &nodes);
    tell("captured", static_cast<long long>(nodes));
    call("cuGraphExecDestroy", exec);
    call("cuGraphDestroy", captured);
    call("cuGraphDestroy", graph);
    end(context);
}

void linking() {
    Handle context = begin();
    Handle state = nullptr;
    void *image = nullptr;
    std::size_t size = 0;
    call("cuLinkCreate_v2", 0u, static_cast<int *>(nullptr), static_cast<void **>(nullptr), &state);
    call("cuLinkAddData_v2", state, 1, static_cast<void *>(code.data()), code.size() + 1, "families", 0u,
         static_cast<int *>(nullptr), static_cast<void **>(nullptr));
    call("cuLinkComplete", state, &image, &size);
    tell("size", static_cast<long long>(size));
    if (image) kernel_of(module_of(static_cast<const char *>(image)), "scale");
    call("cuLinkDestroy", state);
    end(context);
}

struct Copy2D { // CUDA_MEMCPY2D
    std::size_t src_x, src_y;
    unsigned src_type;
    const void *src_host;
    Pointer src_device;
    Handle src_array;
    std::size_t src_pitch, dst_x, dst_y;
    unsigned dst_type;
    void *dst_host;
    Pointer dst_device;
    Handle dst_array;
    std::size_t dst_pitch, width, height;
};
enum : unsigned { host = 1, device = 2, array = 3 };

void memory() {
    Handle context = begin();
    Pointer memory = 0, base = 0;
    std::size_t size = 0, pitch = 0;
    call("cuMemAlloc_v2", &memory, std::size_t{1 << 20});
    call("cuMemGetAddressRange_v2", &base, &size, memory + 100);
    tell("offset", static_cast<long long>(memory - base));
    tell("size", static_cast<long long>(size));
    call("cuMemsetD8_v2", memory, static_cast<unsigned char>(7), std::size_t{1000});
    call("cuMemsetD16_v2", memory, static_cast<unsigned short>(0x0102), std::size_t{100});
    call("cuMemsetD32_v2", memory, 0xfffffffeu, std::size_t{10});
    unsigned char back[300] = {};
    call("cuMemcpyDtoH_v2", static_cast<void *>(back), memory, std::size_t{300});
    long long sum = 0;
    for (unsigned char one : back) sum += one;
    tell("sum", sum);
    call("cuMemcpyDtoD_v2", memory + 4096, memory, std::size_t{300});
    int type = -1;
    call("cuPointerGetAttribute", static_cast<void *>(&type), 2, memory);
    tell("type", type);
    Pointer pitched = 0;
    call("cuMemAllocPitch_v2", &pitched, &pitch, std::size_t{100}, std::size_t{10}, 4u);
    tell("pitch", static_cast<long long>(pitch));
    const char text[] = "12345678";
    Copy2D copy{};
    copy.src_type = host;
    copy.src_host = text;
    copy.src_pitch = 4;
    copy.dst_type = device;
    copy.dst_device = pitched;
    copy.dst_pitch = pitch;
    copy.width = 4;
    copy.height = 2;
    call("cuMemcpy2D_v2", &copy);
    char row[5] = "";
    call("cuMemcpyDtoH_v2", static_cast<void *>(row), pitched + pitch, std::size_t{4});
    tell("row", std::string(row));
    void *pinned = nullptr;
    unsigned flags = 99;
    Pointer mapped = 0;
    call("cuMemHostAlloc", &pinned, std::size_t{4096}, 3u);
    call("cuMemHostGetFlags", &flags, pinned);
    tell("flags", flags);
    call("cuMemHostGetDevicePointer_v2", &mapped, pinned, 0u);
    call("cuMemFreeHost", pinned);
    Pointer managed = 0;
    call("cuMemAllocManaged", &managed, std::size_t{4096}, 1u);
    for (Pointer one : {managed, pitched, memory}) call("cuMemFree_v2", one);
    call("cuMemFree_v2", Pointer{64});
    call("cuMemAlloc_v2", &memory, std::size_t{0});
    end(context);
}

struct Place { // CUmemLocation
    int type, id;
};
struct Allocation { // CUmemAllocationProp
    int type, handles;
    Place place;
    void *meta;
    unsigned char flags[8];
};
struct Access { // CUmemAccessDesc
    Place place;
    int flags;
};

void vmm() {
    Handle context = begin();
    const Allocation wanted{1, 0, {1, 0}, nullptr, {}};
    std::size_t grain = 0;
    call("cuMemGetAllocationGranularity", &grain, &wanted, 0);
    tell("grain", static_cast<long long>(grain));
    if (grain) {
        unsigned long long handle = 0, flags = 99;
        Pointer place = 0;
        call("cuMemCreate", &handle, grain, &wanted, 0ULL);
        call("cuMemAddressReserve", &place, grain, std::size_t{0}, Pointer{0}, 0ULL);
        call("cuMemMap", place, grain, std::size_t{0}, handle, 0ULL);
        const Access both{{1, 0}, 3};
        call("cuMemSetAccess", place, grain, &both, std::size_t{1});
        call("cuMemGetAccess", &flags, &both.place, place);
        tell("access", static_cast<long long>(flags));
        call("cuMemsetD32_v2", place, 0x40000000u, std::size_t{256});
        tell_floats("sum", place, 256);
        call("cuMemUnmap", place, grain);
        call("cuMemRelease", handle);
        call("cuMemAddressFree", place, grain);
    }
    end(context);
}

// Opens memory of the process that started this one, prints the sum of its floats, and sets them to one.
void ipc(const char *hex) {
    struct Shared {
        unsigned char bytes[64];
    } shared{};
    for (std::size_t at = 0; at < 64; ++at)
        shared.bytes[at] = static_cast<unsigned char>(std::stoi(std::string(hex + 2 * at, 2), nullptr, 16));
    Handle context = begin();
    Pointer memory = 0;
    call("cuIpcOpenMemHandle_v2", &memory, shared, 1u);
    if (memory) {
        tell_floats("sum", memory, 256);
        call("cuMemsetD32_v2", memory, 0x3f800000u, std::size_t{256});
        call("cuCtxSynchronize");
        call("cuIpcCloseMemHandle", memory);
    }
    end(context);
}

struct Array { // CUDA_ARRAY_DESCRIPTOR
    std::size_t width, height;
    unsigned format, channels;
};
struct Resource { // CUDA_RESOURCE_DESC
    int type;
    alignas(8) Handle array;
    int rest[30];
    unsigned flags;
};
struct Texture { // CUDA_TEXTURE_DESC
    int address[3], filter;
    unsigned flags, anisotropy;
    int mipmap;
    float bias, least, most, border[4];
    int reserved[12];
};

void arrays() {
    Handle context = begin();
    const Array wanted{8, 4, 0x20, 1};
    Array description{};
    Handle of = nullptr;
    call("cuArrayCreate_v2", &of, &wanted);
    call("cuArrayGetDescriptor_v2", &description, of);
    tell("width", static_cast<long long>(description.width));
    tell("height", static_cast<long long>(description.height));
    tell("format", description.format);
    float texels[32], back[32] = {};
    for (int at = 0; at < 32; ++at) texels[at] = static_cast<float>(at);
    Copy2D copy{};
    copy.src_type = host;
    copy.src_host = texels;
    copy.dst_type = array;
    copy.dst_array = of;
    copy.src_pitch = copy.width = 32;
    copy.height = 4;
    call("cuMemcpy2D_v2", &copy);
    call("cuMemcpyAtoH_v2", static_cast<void *>(back), of, std::size_t{32}, std::size_t{32});
    tell("texel", static_cast<long long>(back[3]));
    Resource resource{};
    resource.array = of;
    Texture look{};
    for (int &one : look.address) one = 1;
    unsigned long long texture = 0;
    call("cuTexObjectCreate", &texture, &resource, &look, static_cast<const void *>(nullptr));
    if (texture) {
        Texture seen{};
        call("cuTexObjectGetTextureDesc", &seen, texture);
        tell("address", seen.address[0]);
        Handle kernel = kernel_of(module_of(code.c_str()), "sample");
        Pointer out = counted(32);
        unsigned width = 8;
        void *arguments[] = {&texture, &out, &width};
        call("cuLaunchKernel", kernel, 1u, 1u, 1u, 8u, 4u, 1u, 0u, static_cast<Handle>(nullptr),
             static_cast<void **>(arguments), static_cast<void **>(nullptr));
        call("cuCtxSynchronize");
        tell_floats("sum", out, 32);
        call("cuTexObjectDestroy", texture);
    }
    call("cuArrayDestroy", of);
    end(context);
}

} // namespace

int main(int count, char **arguments) {
    if (count < 4 || !(library = dlopen(arguments[1], RTLD_NOW))) return 2;
    std::ifstream file(arguments[3]);
    code.assign(std::istreambuf_iterator<char>(file), {});
    const std::string topic = arguments[2];
    if (topic == "ipc") return count == 5 && std::strlen(arguments[4]) == 128 ? (ipc(arguments[4]), 0) : 2;
    const struct {
        const char *name;
        void (*run)();
    } topics[] = {{"contexts", contexts},   {"modules", modules}, {"launches", launches},
                  {"occupancy", occupancy}, {"streams", streams}, {"graphs", graphs},
                  {"linking", linking},     {"memory", memory},   {"vmm", vmm},
                  {"arrays", arrays}};
    for (const auto &one : topics) {
        if (topic == one.name) return one.run(), 0;
    }
    return 2;
}
