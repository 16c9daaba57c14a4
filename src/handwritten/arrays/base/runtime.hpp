// A table of the few runtime functions that arrays need, without a vendor's name. It is filled for the chosen
// backend.
//
// All code outside this folder calls the runtime through this table, and sees only codes, void * handles and
// the small structs below. All functions return the vendor's status, `success` or one of its `codes`. None
// touches Python, so each may be called with the GIL released. `Scope` (scope.hpp) sets the device, and
// protects stream captures and the last error of other code.
#pragma once

#include "runtime/statuses.hpp"

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace pygpu {
struct Api;
class StatusType;
} // namespace pygpu

namespace pygpu::arrays {

// 0 is the default stream: the legacy one, or the thread's own if that is configured.
using Stream = void *;
using Event = void *;
using Pool = void *;

// The direction is always given, because HIP up to 6.1 guessed it wrongly
// for 2-D copies.
enum class Direction : int { host_to_host, host_to_device, device_to_host, device_to_device };

inline constexpr int success = 0; // in every API that serves arrays

// Codes of this layer, which no runtime returns. raise_status() raises ValueError for them.
inline constexpr int memory_was_freed = -1, module_was_unloaded = -2;
inline bool is_freed(int status) { return status < 0; }

// The box of bytes that a copy reads and writes: rows of `width` bytes, `height` rows in a slice, `depth`
// slices. From one slice to the next it is `to_rows` (`from_rows`) rows.
struct Box {
    void *to;
    std::size_t to_pitch, to_rows;
    const void *from;
    std::size_t from_pitch, from_rows;
    std::size_t width, height, depth;
};

// A launch in clusters of blocks; grid, block and cluster are three numbers each.
struct ClusterLaunch {
    const unsigned *grid, *block, *cluster;
    unsigned shared; // bytes of dynamic shared memory
    bool cooperative;
    Stream stream;
};

// The driver's function for a launch: that of cuda.h and that of hip_runtime_api.h have the same ABI.
using LaunchKernel = int(void *kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                         unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **arguments,
                         void **extra);

// The driver's functions that PyGPU calls past the runtime, by name; null where they are not used. driver.hpp
// has their addresses.
struct DriverCalls {
    const char *library = nullptr; // null: the runtime's own
    const char *load = nullptr, *get_function = nullptr, *launch = nullptr;
    const char *record_event = nullptr, *launch_graph = nullptr;
    // Of drivers with several contexts a device
    const char *current_context = nullptr, *retain_primary = nullptr, *release_primary = nullptr;
};

struct Runtime {
    const char *name;          // "cuda": the API
    const char *kernel_struct; // the tag of what kernels' handles point to
    // DLPack's numbers for kinds of memory; managed memory may have the device's.
    int of_device, of_pinned, of_managed;
    // Exchange protocols call the legacy default stream 1 and the thread's own 2; else the only one is 0.
    bool numbers_streams;
    Api &api;
    const Statuses &codes;            // those of the API
    StatusType *(*portable_errors)(); // the class of statuses for portable names; null with an exception set

    // Devices
    int (*device_count)(int *count);
    int (*get_device)(int *device);
    int (*set_device)(int device);
    int (*can_access_peer)(int *can, int device, int peer);
    int (*enable_peer)(int peer); // lets the current device reach memory of the peer that is of no pool

    // Memory of the current device
    int (*malloc)(void **pointer, std::size_t size);
    int (*free)(void *pointer);
    int (*memory_info)(std::size_t *free, std::size_t *total);
    int (*malloc_managed)(void **pointer, std::size_t size);
    int (*pool_create)(Pool *pool, int device);
    int (*pool_destroy)(Pool pool);
    int (*pool_allow)(Pool pool, int device); // lets a peer read and write the pool's memory
    int (*pool_set_threshold)(Pool pool, std::uint64_t bytes);
    int (*pool_usage)(Pool pool, std::uint64_t *used, std::uint64_t *reserved);
    int (*pool_trim)(Pool pool, std::size_t keep);
    int (*malloc_from_pool)(void **pointer, std::size_t size, Pool pool, Stream stream);
    int (*free_async)(void *pointer, Stream stream);

    // Host memory
    int (*host_alloc)(void **pointer, std::size_t size);
    int (*host_free)(void *pointer);
    int (*host_register)(void *pointer, std::size_t size, unsigned flags);
    int register_for_all, register_read_only; // flags of host_register; 0 where the vendor has none
    int (*host_unregister)(void *pointer);
    // Registers ordinary memory for all devices; codes.not_supported if devices would have another address
    // for it.
    int (*lock_pages)(void *pointer, std::size_t size);
    // Whether this is ordinary memory of the host. Some releases return an error for such memory.
    int (*ask_pageable)(const void *pointer, bool *pageable);
    // The device whose memory this is; -1 for memory that the host can use, too.
    int (*ask_owner)(const void *pointer, int *device);

    // Copies and sets; copies find out the devices by the addresses
    int (*copy)(void *to, const void *from, std::size_t size, Direction direction);
    int (*copy_async)(void *to, const void *from, std::size_t size, Direction direction, Stream stream);
    int (*copy_2d_async)(const Box &box, Direction direction, Stream stream);
    int (*copy_3d_async)(const Box &box, Direction direction, Stream stream);
    bool rows_need_peers; // between two devices, copy_2d_async and copy_3d_async work only for peers
    int (*set_async)(void *to, int byte, std::size_t size, Stream stream);
    int (*set_2d_async)(void *to, std::size_t pitch, int byte, std::size_t width, std::size_t height,
                        Stream stream);

    // Streams and events
    int (*stream_create)(Stream *stream, bool blocking, int priority);
    int (*stream_destroy)(Stream stream);
    int (*stream_query)(Stream stream);
    int (*stream_device)(Stream stream, int *device);
    int (*stream_synchronize)(Stream stream);
    int (*stream_wait)(Stream stream, Event event);
    int (*stream_capturing)(Stream stream, bool *capturing);
    int (*launch_host_function)(Stream stream, void (*function)(void *), void *argument);
    int (*event_create)(Event *event, bool timing);
    int (*event_destroy)(Event event);
    int (*event_record)(Event event, Stream stream);
    int (*event_query)(Event event);
    int (*event_synchronize)(Event event);
    int (*event_elapsed)(float *milliseconds, Event start, Event end);

    DriverCalls driver_calls;
    // Calls the vendor's function, whose address is `function`; null if the vendor has none.
    int (*launch_clusters)(void *function, const ClusterLaunch &launch, void *kernel, void **arguments);

    StatusType *errors = nullptr; // the result of portable_errors()
    bool on_host = false;         // the host runtime was chosen, whose devices are the CPU
};

// Generated: the tables of all APIs that serve arrays. The host runtime serves the first one.
extern const std::span<Runtime *const> runtimes;

// The table of the chosen backend; chooses it on first use. `on_host` is set if that is the host runtime.
// Null only with a Python exception set.
Runtime *chosen_runtime(bool &on_host);

// Loads the chosen backend's library and returns its table. Null only with a Python
// exception set. Without a library, the functions of the table return a status for that.
Runtime *load_runtime();

inline Runtime *loaded_runtime = nullptr; // once load_runtime() found a library

inline Runtime *runtime() { return loaded_runtime ? loaded_runtime : load_runtime(); }

// From now on a trace has the calls of a table that allocate, copy, set, order and wait. Once, for the table
// that is loaded.
void watch(Runtime &table);

// Raises GPUError for a status. `call` names the failed call ("GPUArray.get()"). Always returns null.
PyObject *raise_status(const Runtime &runtime, int status, const char *call, ...)
    __attribute__((format(printf, 3, 4)));

// The status as the object that the portable names return; a new reference.
PyObject *status_object(const Runtime &runtime, int status);

} // namespace pygpu::arrays
