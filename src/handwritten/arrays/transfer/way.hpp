// The table of ways that bytes go between the host and a device: what is chosen, and from which size on.
//
// Pure functions of what is known of a copy, so that tests read the table row by row. engine.hpp does them.
#pragma once

#include "arrays/memory/huge_pages.hpp"
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
    pieces,         // through a ring of page-locked pieces, by one thread or several (pieces.cpp)
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
// Downloads of pageable memory go by pieces up to here where no thread helps.
inline constexpr std::size_t most_alone = std::size_t{1} << 20;
// Page-locked memory that pieces lie in: taken in blocks, which the bus reads or fills at a time at most.
// Downloads of 8 MiB on fell to half their speed with 4 MiB in all, of 256 MiB with 8 (one H100).
inline constexpr std::size_t block = std::size_t{1} << 20, blocks = 16;
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
} // namespace sizes

// How a copy goes by pieces: a row of the tables below.
struct Pieces {
    std::size_t from;  // bytes of the copy
    int threads;       // with the caller; more are slower, as they share the memory's speed with the bus
    std::size_t piece; // bytes that each brings at a time
    std::size_t
        sent;       // of a download: bytes that the bus brings at a time. An upload sends all that is filled
    bool streaming; // written past the caches (host.hpp)
};

// All rows are of one H100 with 16 processors, of which a process may use eight here: the best, or the fewest
// threads that come near it. GB/s at the end of a row, with those of the driver's own copy or of another row.
namespace by_pieces {
inline constexpr std::size_t KiB = 1 << 10, MiB = 1 << 20;
inline constexpr Pieces up[] = {
    {512 * KiB, 4, 128 * KiB, sizes::block, true}, // 18 (driver 11); 1 MiB 24 (11), 2 MiB 28 (14)
    {4 * MiB, 4, 256 * KiB, sizes::block, true},   // 35 (14); 8 MiB 39 (14)
    {16 * MiB, 4, 512 * KiB, sizes::block, true},  // 41 (14)
    {64 * MiB, 8, 1 * MiB, sizes::block, true},    // 43 (12)
    // From here on the pieces leave the caches of their own accord before the bus comes to them.
    {128 * MiB, 8, 1 * MiB, sizes::block, false}, // 256 MiB 46, streaming 42
};
inline constexpr Pieces down[] = {
    {256 * KiB + 1, 4, 64 * KiB, 256 * KiB, false}, // 512 KiB 13; 1 MiB 17, 2 MiB 17, 4 MiB 27
    {8 * MiB, 6, 64 * KiB, sizes::block, false},    // 40, by 256 KiB 36; 16 MiB 44
    {32 * MiB, 6, 256 * KiB, sizes::block, true},   // 64 MiB 48; 256 MiB 50, not streaming 33
};
// A strided side of the host's. Eight threads gather rows of 64 bytes at 36, and scatter them at 23 to 33.
inline constexpr Pieces strided = {0, 8, 256 * KiB, sizes::block, false};
} // namespace by_pieces

// A copy between the host and one device.
struct Run {
    std::size_t size;
    bool up;       // to the device
    bool pageable; // the host's memory: neither page-locked nor managed
    bool strided;  // its elements do not lie as the device's would when packed
    bool waits;    // the call does not return before the end
    bool captured; // the stream is being captured
    bool unseen;   // whether the bytes have arrived can't be seen when the call returns
    int threads;   // of pieces_of(): 0 on the host runtime, whose own copies are by threads
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

// The row of a copy, with as many threads as there may be: at most half of those that the machine runs for
// this process, and no more than pieces; 0 on the host runtime.
Pieces pieces_of(std::size_t size, bool up, bool strided, bool on_host_runtime);

// For tests and measurements.
struct CopySettings {
    std::atomic<std::size_t> results_from{least_in_huge_pages};
    std::atomic<std::size_t> piece{0}; // 0: as the table says
    std::atomic<int> forced{-1};       // a Way that is taken wherever it is right
};
CopySettings &copy_settings();

} // namespace pygpu::arrays
