// What a host device reports, for properties and attributes of both vendors.
#pragma once

#include <cstddef>

namespace pygpu::host {

struct Facts {
    std::size_t memory;
    int processors;  // the machine's
    int cores;       // multiprocessors: the profile's, or else one for each processor
    int cache_bytes; // the last level's
    // The profile's. Without one the first is nominal, because kernels' clocks count nanoseconds; and so are
    // the others: the system doesn't report them, but programs divide by them.
    int clock_khz, memory_khz, memory_bits;
    int major, minor; // CUDA's compute capability: PYGPU_HOST_CAPABILITY
    int warp = 32;
    int threads = 1024;
    int grid_x = 2147483647, grid_yz = 65535;
    int block_z = 64;
    int shared = 48 << 10;
    int shared_most;                     // of a kernel that asks for it
    int shared_reserved = 1 << 10;       // of a block, for the driver
    int shared_all;                      // of a multiprocessor
    int threads_at_once, blocks_at_once; // of a multiprocessor
    int copy_engines, fp64_ratio, ecc;
    int registers = 65536;
    int constant = 64 << 10;
    int pitch = 2147483647;
    int texture_1d = 131072, texture_2d = 65536, texture_3d = 16384, layers = 2048;
    int texture_layered = 32768,
        texture_gather = 32768; // width and height of layers, and of what is gathered
    int texture_3d_flat = 8192, texture_3d_deep = 32768, surface_1d = 32768;
    int texture_linear = 1 << 28, linear_pitch = 2097120;
    int texture_mipmap = 32768, texture_cubemap = 32768, cubemap_layers = 2046;
    int alignment = 512, pitch_alignment = 32;
};

const Facts &facts();

} // namespace pygpu::host
