// The few structures of DLPack's C ABI (versions 0.x and 1.x) that are read and written here.
//
// They are declared here under our own names, because a user's program may include any version of dlpack.h,
// too.
#pragma once

#include <cstdint>

namespace pygpu::detail {

struct dl_tensor {
    void *data;
    std::int32_t device_type;
    std::int32_t device_id;
    std::int32_t ndim;
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
    std::int64_t *shape;
    std::int64_t *strides; // in elements; may be null in older versions: compact in C order
    std::uint64_t byte_offset;
};

struct dl_managed { // in a capsule "dltensor"
    dl_tensor tensor;
    void *context;
    void (*deleter)(dl_managed *);
};

struct dl_managed_versioned { // in a capsule "dltensor_versioned"
    std::uint32_t major;
    std::uint32_t minor;
    void *context;
    void (*deleter)(dl_managed_versioned *);
    std::uint64_t flags;
    dl_tensor tensor;
};

inline constexpr std::uint64_t dl_read_only = 1, dl_copied = 2;

} // namespace pygpu::detail
