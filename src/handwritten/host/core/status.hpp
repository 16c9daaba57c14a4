// The codes that the host runtime itself returns; CUDA and HIP give them the same numbers.
#pragma once

namespace pygpu::host {

enum class Status : int {
    success = 0,
    invalid_value = 1,
    memory_allocation = 2,
    initialization_error = 3,
    unloading = 4,
    invalid_configuration = 9,
    invalid_pitch_value = 12,
    invalid_symbol = 13,
    invalid_host_pointer = 16,
    invalid_channel_descriptor = 20,
    invalid_memcpy_direction = 21,
    invalid_filter_setting = 26,
    invalid_norm_setting = 27,
    missing_configuration = 52,
    invalid_device_function = 98,
    no_device = 100,
    invalid_device = 101,
    map_failed = 205,
    already_mapped = 208,
    no_binary = 209,
    unsupported_limit = 215,
    invalid_ptx = 218,
    file_not_found = 301,
    invalid_image = 200,
    device_uninitialized = 201,
    invalid_context = 201, // its name in the driver API
    context_already_in_use = 216,
    peer_access_unsupported = 217,
    operating_system = 304,
    invalid_resource_handle = 400,
    illegal_state = 401,
    not_found = 500,
    not_ready = 600,
    illegal_address = 700,
    launch_out_of_resources = 701,
    launch_timeout = 702,
    peer_access_already_enabled = 704,
    peer_access_not_enabled = 705,
    context_is_destroyed = 709,
    host_memory_already_registered = 712,
    host_memory_not_registered = 713,
    not_permitted = 800,
    not_supported = 801,
    capture_unsupported = 900,
    unknown = 999,
};

} // namespace pygpu::host
