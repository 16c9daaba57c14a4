// Which of the machine's devices a program sees, and in which order: the vendors' own variables choose them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pygpu::host {

// The devices that the programs of a vendor see, by their numbers on the machine, read once.
struct Visible {
    std::vector<int> nvidia;   // CUDA_VISIBLE_DEVICES
    bool nvidia_twice = false; // whether that names a device twice; then there are none
    std::vector<int> amd;      // ROCR_VISIBLE_DEVICES, then HIP_VISIBLE_DEVICES or else CUDA_VISIBLE_DEVICES
};
const Visible &visible();

// 16 bytes that name a device of the machine: to NVIDIA's programs as they are, and to AMD's as 16 digits.
using Uuid = unsigned char[16];
void nvidia_uuid(int number, Uuid &bytes);
void amd_uuid(int number, Uuid &digits);
// The former as text: "GPU-50794750-5520-686f-7374-000000000001".
std::string nvidia_name(int number);

} // namespace pygpu::host
