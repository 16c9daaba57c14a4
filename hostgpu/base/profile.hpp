// What kind of card the host devices say that they are.
#pragma once

#include <cstddef>
#include <string_view>

namespace pygpu::host {

// Facts of one card. A card is a file in profiles/, which fills in what differs from the defaults here: those
// of a card without a profile. The numbers are those of the vendors' tools on such a card (the files say
// whose).
struct Profile {
    const char *key;            // of PYGPU_HOST_PROFILE
    const char *name = nullptr; // null: "PyGPU host device 0"

    // What CUDA reports; 0: what the machine has.
    int major = 8, minor = 0;
    int multiprocessors = 0;
    int cores = 64;         // for single floats, of a multiprocessor
    std::size_t memory = 0; // bytes that programs may have
    int l2_bytes = 0;
    int memory_bits = 128;
    int clock_mhz = 1000, memory_mhz = 1600; // at most
    int shared_most = 163 << 10;             // bytes of a block that asks for them
    int shared_all = 164 << 10;              // of a multiprocessor
    int threads = 1024, blocks = 1;          // of a multiprocessor
    int copy_engines = 1;
    int fp64_ratio = 2; // how many times faster single floats are
    bool ecc = false;

    // What NVML reports besides.
    std::size_t reserved = 0; // bytes of the board's memory that no program gets
    std::size_t bar1 = 0;     // bytes; 0: NVML has no answer
    int brand = 14;           // nvmlBrandType_t: NVIDIA
    unsigned pci_device = 0, pci_subsystem = 0;
    int pcie_generation = 4, pcie_width = 16;
    int idle_mhz = 210, video_mhz = 1000;  // graphics clock at rest, video clock at most
    int idle_state = 0;                    // performance state at rest
    int power_idle = 0, power_default = 0; // milliwatts; 0: NVML has no answer
    int power_min = 0, power_max = 0;      // of the limit that can be set
    int heat_idle = 30, heat_busy = 60;    // degrees Celsius
    int heat_slowdown = 90, heat_shutdown = 95, heat_operating = 85;
    int nvlinks = 0, nvlink_version = 0, nvlink_mbps = 0; // links, and megabytes a second of one
    bool mig = false;                                     // whether the card could be divided
    const char *board = nullptr;                          // its part number
    const char *vbios = "00.00.00.00.00";
};

// The profile of a key; null for one that there isn't.
const Profile *find_profile(std::string_view key);
// The card without a profile.
const Profile &plain_profile();
// "a100, gb200, …"
const char *profile_keys();

} // namespace pygpu::host
