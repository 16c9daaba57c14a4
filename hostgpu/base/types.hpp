// The structs of both APIs whose layout is the same; cuda/translate.hpp and hip/translate.hpp prove that.
#pragma once

#include <cstddef>

namespace pygpu::host {

// What C's handles point to; never completed.
struct StreamTag;
struct EventTag;
struct PoolTag;
struct ArrayTag;
struct MipmapTag;
struct ModuleTag;
struct LibraryTag;
struct FunctionTag; // a kernel of a module or of a library
struct LinkTag;
struct GraphTag;
struct NodeTag;
struct ExecutableTag;
struct UserObjectTag;
struct ContextTag;     // a green context, or a primary one as the runtime's execution context
struct DescriptionTag; // of the resources of a green context
struct LogTag;
struct NotificationTag;
struct PhysicalTag;

struct Extent {
    std::size_t width, height, depth;
};

struct Position {
    std::size_t x, y, z;
};

struct Pitched {
    void *ptr;
    std::size_t pitch, xsize, ysize;
};

struct Channels {
    int x, y, z, w;
    unsigned kind;
};

// What an array needs that is mapped later, and how one is divided that is mapped in part.
struct ArrayRequirements {
    std::size_t size, alignment;
    unsigned reserved[4];
};

struct SparseLayout {
    unsigned width, height, depth; // of a tile
    unsigned tail_level;           // the first level that is mapped as a whole with all later ones
    unsigned long long tail_size;
    unsigned flags;
    unsigned reserved[4];
};

struct Copy3D {
    ArrayTag *src_array;
    Position src_pos;
    Pitched src_ptr;
    ArrayTag *dst_array;
    Position dst_pos;
    Pitched dst_ptr;
    Extent extent;
    unsigned kind;
};

struct HostCall {
    void (*function)(void *);
    void *data;
};

struct MemsetNode {
    void *to;
    std::size_t pitch;
    unsigned value, element;
    std::size_t width, height; // in elements
};

struct Dim {
    unsigned x, y, z;
};

struct Location {
    unsigned type;
    int id;

    bool operator==(const Location &) const = default;
};

struct Access {
    Location location;
    unsigned flags;
};

// The ports of a graph's edge, and its type.
struct GraphEdge {
    unsigned char from_port, to_port, type, reserved[5];
};

// What a launch, a stream or a node has set for an attribute.
struct AttributeValue {
    alignas(8) unsigned char bytes[64];
};

// What one process gives another to open its memory, or its event.
struct IpcHandle {
    char bytes[64];
};

// What physical memory shall be.
struct PhysicalProperties {
    unsigned type;
    unsigned handle_types;
    Location location;
    void *security;
    unsigned char compression, direct_rdma;
    unsigned short usage;
    unsigned char reserved[4];
};

struct PoolProperties {
    unsigned type;
    unsigned handle_types;
    Location location;
    void *security;
    std::size_t max_size;
    unsigned short usage;
    unsigned char reserved[54];
};

struct AllocationNode {
    PoolProperties pool;
    const Access *accesses;
    std::size_t count;
    std::size_t size;
    void *address; // an output
};

// Copy kinds, memory types and the like, which both APIs number alike.
enum CopyKind { host_to_host, host_to_device, device_to_host, device_to_device, by_address };
constexpr bool is_copy_kind(int kind) { return kind >= host_to_host && kind <= by_address; }
enum MemoryType { unregistered_memory, host_memory, device_memory, managed_memory };
enum LocationType { no_location, on_device, on_host, on_host_numa, on_host_numa_current };

} // namespace pygpu::host
