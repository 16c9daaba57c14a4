// The table of ways that bytes go between the host and a device: what is chosen, and from which size on.
//
// Pure functions of what is known of a copy, so that tests read the table row by row. engine.hpp does them.
#pragma once

#include "arrays/memory/result_memory.hpp"
#include "arrays/memory/staging_buffer.hpp"
#include "arrays/memory/upload_ring.hpp"

#include <atomic>
#include <cstddef>
#include <sys/types.h>

namespace pygpu::arrays {

enum class Way : unsigned char {
    direct,         // the runtime's own copy, between the caller's memory and the device
    upload_ring,    // taken into page-locked memory before the call returns (upload_ring.hpp)
    bounce,         // through one staging buffer, filled or emptied by the caller
    pieces,         // through page-locked pieces of up to 1 MiB, by one thread or several (pieces.hpp)
    host_functions, // through one staging buffer, filled or emptied by the stream as it comes to that
};
inline constexpr const char *way_names[] = {"direct", "upload_ring", "bounce", "pieces", "host_functions"};

// Where a number comes from: all were measured on one H200 with a PCIe 5 link and 16 processors, but where it
// says otherwise.
namespace sizes {
// Taken along: dearer than waiting for the copy from here on.
inline constexpr std::size_t most_in_ring = most_uploaded;
// Page-locked memory takes a copy of so little faster than the caller's own.
inline constexpr std::size_t most_bounced = StagingBuffer::most_pinned;
// Up to here nobody asks whether memory is page-locked: the slower way is as fast within a tenth.
inline constexpr std::size_t most_unasked = std::size_t{16} << 10;
// Pageable memory goes by pieces: downloads up to `most_alone` by the caller alone, all from here on with
// threads.
inline constexpr std::size_t threads_from = std::size_t{2} << 20, most_alone = std::size_t{1} << 20;
// At least so much for each thread.
inline constexpr std::size_t share_up = std::size_t{256} << 10, share_down = std::size_t{512} << 10;
// The largest piece, which stays in a cache until the bus takes it; and where the caller copies alone.
inline constexpr std::size_t piece = std::size_t{1} << 20, piece_alone = std::size_t{512} << 10;
// A strided side of the host's is staged as a whole up to here, which beyond takes fresh memory each time: up
// it goes at 1.4 GB/s where pieces go at 6.5, down from here on alike (one thread, host runtime, two
// processors).
inline constexpr std::size_t most_strided_up = most_bounced, most_strided_down = std::size_t{1} << 20;
// One staging buffer of a queued copy. Not measured: bounds the page-locked memory that it takes.
inline constexpr std::size_t most_staged = std::size_t{16} << 20;
// Packed on the device at a time. Not measured: bounds the memory of the device's that it takes.
inline constexpr std::size_t packed = std::size_t{64} << 20;
// Between two looks at signals, in a copy of the runtime's own: 2.4 ms at the link's speed. With 64 MiB,
// page-locked copies lost 0.7 %.
inline constexpr std::size_t slice = std::size_t{128} << 20;
inline constexpr int most_threads = 8;
} // namespace sizes

// A copy between the host and one device.
struct Run {
    std::size_t size;
    bool up;       // to the device
    bool pageable; // the host's memory: neither page-locked nor managed
    bool strided;  // its elements do not lie as the device's would when packed
    bool waits;    // the call does not return before the end
    bool captured; // the stream is being captured
    bool unseen;   // whether the bytes have arrived can't be seen when the call returns
    int threads;   // that may take part; 0 on the host runtime, whose own copies are by threads
};
Way way_of(const Run &run);

// How the rows of the device's side go.
enum class RowsWay : unsigned char {
    rectangles,  // by rectangular copies over the bus
    packed,      // packed in the device's memory first, by rectangular copies there
    whole_range, // to the host with all that lies between them, and picked apart there
};
inline constexpr const char *rows_way_names[] = {"rectangles", "packed", "whole_range"};

namespace rows {
inline constexpr ssize_t narrow = 64;         // rows shorter than this go over the bus badly,
inline constexpr ssize_t narrow_on_link = 16; // and such ones over a link
inline constexpr ssize_t few = 32;            // unless there are only so many
inline constexpr ssize_t most_calls = 256;    // so many single copies cost as much as staging
inline constexpr ssize_t most_range = 16;     // times the size: more is not worth fetching
} // namespace rows

struct Rows {
    ssize_t size;
    ssize_t width; // of a row
    ssize_t calls; // rectangles
    ssize_t reach; // from the first byte of the device's side to the last
    bool up;
    bool waits;
    Way way; // of the packed bytes
};
RowsWay way_of(const Rows &rows);
// Whether rows go over a bus or a link as they are.
bool go_over(ssize_t size, ssize_t width, ssize_t calls, ssize_t least_width);

// How many threads may share a copy: at most half of those that the machine runs for this process; 0 on the
// host runtime.
int threads_for(std::size_t size, bool up, bool on_host_runtime);
// The most bytes that each brings at a time.
std::size_t piece_of(int threads);

// Processors that this process may use, by its affinity and its control group's quota; at least 1. Found
// once.
int usable_processors();

// For tests and measurements.
struct CopySettings {
    std::atomic<std::size_t> threads_from{0}; // 0: as the table says
    std::atomic<std::size_t> results_from{least_result};
    std::atomic<std::size_t> piece{0}; // 0: as piece_of() says
    std::atomic<int> threads;          // 0: as threads_for() says; PYGPU_COPY_THREADS sets it
    std::atomic<int> forced{-1};       // a Way that is taken wherever it is right

    CopySettings();
};
CopySettings &copy_settings();

} // namespace pygpu::arrays
