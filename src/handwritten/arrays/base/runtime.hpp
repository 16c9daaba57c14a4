// The few runtime functions that arrays are built on, without a vendor's name: filled for the chosen backend.
//
// Everything above this folder calls through the table and sees only codes, void * handles and the small
// structs below. All functions return the vendor's status; 0 is success. None touches Python, so each may be
// called with the GIL released; `Scope` (scope.hpp) sets the device and keeps captures and the last error
// of others intact.
#pragma once

#include "array_codes.hpp"

#include <Python.h>

#include <cstddef>
#include <cstdint>

namespace pygpu {
struct Api;
class StatusType;
} // namespace pygpu

namespace pygpu::arrays {

using Stream =
    void *; // 0 is the default stream: the legacy one, or the thread's own where that is configured
using Event = void *;
using Pool = void *;

// Both vendors number these alike. Always explicit: HIP guessed it wrongly for 2-D copies until 6.1.
enum class Direction : int { host_to_host, host_to_device, device_to_host, device_to_device };

// A code of this layer's own, which no runtime gives: raise_status() makes a ValueError of it.
inline constexpr int memory_was_freed = -1;

// A box of bytes at both ends: rows of `width` bytes, `height` rows to a slice, `depth` slices. A slice is
// `rows` rows long, of which `height` are copied.
struct Box {
    void *to;
    std::size_t to_pitch, to_rows;
    const void *from;
    std::size_t from_pitch, from_rows;
    std::size_t width, height, depth;
};

struct Runtime {
    const char *name; // "cuda" or "hip": the API; the host runtime serves CUDA's
    Api &api;
    StatusType *(*portable_errors)(); // the class of the portable names' statuses; null with an exception set

    // Devices
    int (*device_count)(int *count);
    int (*get_device)(int *device);
    int (*set_device)(int device);
    int (*can_access_peer)(int *can, int device, int peer);
    int (*enable_peer)(int peer); // lets the current device reach what is allocated plainly on a peer

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
    int (*host_unregister)(void *pointer);
    // Registers ordinary memory for all devices; not_supported where these would know it by another address.
    int (*lock_pages)(void *pointer, std::size_t size);
    // Whether it is the host's ordinary memory, which some releases refuse to know at all.
    int (*ask_pageable)(const void *pointer, bool *pageable);
    // The device that alone has it; -1 for what the host has, too.
    int (*ask_owner)(const void *pointer, int *device);

    // Copies and sets; copies find the devices by the addresses
    int (*copy)(void *to, const void *from, std::size_t size, Direction direction);
    int (*copy_async)(void *to, const void *from, std::size_t size, Direction direction, Stream stream);
    int (*copy_2d_async)(const Box &box, Direction direction, Stream stream);
    int (*copy_3d_async)(const Box &box, Direction direction, Stream stream);
    bool rows_need_peers; // between two devices the last two work only where these are peers
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

    StatusType *errors = nullptr; // what portable_errors() gave
    bool on_host = false;         // it is the host runtime that was chosen: its devices are the CPU
};

namespace cuda {
Runtime &runtime();
}
namespace hip {
Runtime &runtime();
}

// The backend's table, its library loaded, on first use; chooses the backend by then. Null only with a Python
// exception set: that no library is there is the status of the table's functions.
Runtime *load_runtime();

inline Runtime *loaded_runtime = nullptr; // once load_runtime() found a library

inline Runtime *runtime() { return loaded_runtime ? loaded_runtime : load_runtime(); }

// Raises GPUError for a status; `call` says what was done ("GPUArray.get"). Always returns nullptr.
PyObject *raise_status(const Runtime &runtime, int status, const char *call, ...)
    __attribute__((format(printf, 3, 4)));

// The status as the object that the portable names return; a new reference.
PyObject *status_object(const Runtime &runtime, int status);

} // namespace pygpu::arrays
