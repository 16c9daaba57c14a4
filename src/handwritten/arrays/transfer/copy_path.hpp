// The table of paths by which bytes go between the host and a device: which path is chosen, and from which
// size on.
//
// Pure functions of the known facts about a copy, so that tests can read the table row by row. The functions
// of engine.hpp do the copies.
#pragma once

#include "arrays/memory/huge_pages.hpp"
#include "arrays/memory/staging_buffer.hpp"
#include "arrays/memory/upload_ring.hpp"

#include <atomic>
#include <cstddef>
#include <sys/types.h>

namespace pygpu::arrays {

enum class CopyPath : unsigned char {
    direct,         // the runtime's own copy, between the caller's memory and the device
    upload_ring,    // taken into page-locked memory before the call returns (upload_ring.hpp)
    bounce,         // through one staging buffer, filled or emptied by the caller
    pieces,         // through a ring of page-locked pieces, by one thread or several (pieces.cpp)
    host_functions, // through one staging buffer, filled or emptied by host functions on the stream
};
inline constexpr const char *path_names[] = {"direct", "upload_ring", "bounce", "pieces", "host_functions"};

// All numbers were measured on one H200 with a PCIe 5 link and 16 processors, except where the comment names
// another machine.
namespace sizes {
// The upload ring takes copies of pageable and of page-locked memory up to these sizes. Page-locked memory of
// 256 KiB went at 11.4 GB/s through the ring, and at 15.6 directly, with the wait.
inline constexpr std::size_t most_in_ring = most_uploaded, most_locked_in_ring = std::size_t{64} << 10;
// Up to this size, a copy through page-locked staging memory is faster than a copy of the caller's own
// memory.
inline constexpr std::size_t most_bounced = StagingBuffer::most_pinned;
// Up to this size, PyGPU doesn't ask whether memory is page-locked: the slower path takes at most a tenth
// longer.
inline constexpr std::size_t most_unasked = std::size_t{16} << 10;
// Up to this size, downloads to pageable memory go by pieces even if no thread helps.
inline constexpr std::size_t most_alone = std::size_t{1} << 20;
// Page-locked memory for pieces. It is taken in blocks, and one transfer over the bus is at most one block.
// Downloads from 8 MiB on fell to half their speed with 4 MiB of blocks in all, and downloads of 256 MiB with
// 8 MiB (one H100).
inline constexpr std::size_t block = std::size_t{1} << 20, blocks = 16;
// Up to this size, a strided side of the host is staged as a whole. Larger staging memory is fresh each time.
// Beyond these sizes, staged uploads run at 1.4 GB/s and uploads by pieces at 6.5; downloads are equally fast
// (one thread, host runtime, two processors).
inline constexpr std::size_t most_strided_up = most_bounced, most_strided_down = std::size_t{1} << 20;
// The largest staging buffer of a queued copy. Not measured; it limits the page-locked memory that a copy
// takes.
inline constexpr std::size_t most_staged = std::size_t{16} << 20;
// The most bytes packed on the device at a time. Not measured; it limits the device memory that a copy takes.
inline constexpr std::size_t packed = std::size_t{64} << 20;
// The bytes between two checks for signals, in a copy by the runtime: 2.4 ms at the link's speed. With 64
// MiB, page-locked copies lost 0.7 % of their speed.
inline constexpr std::size_t slice = std::size_t{128} << 20;
} // namespace sizes

// How a copy by pieces is done: a row of the tables below.
struct Pieces {
    std::size_t from;  // bytes of the copy
    int threads;       // with the caller; more are slower, since they share the memory's speed with the bus
    std::size_t piece; // bytes that each thread copies at a time
    // For a download: bytes that the bus transfers at a time. An upload sends all pieces that are filled.
    std::size_t sent;
    bool streaming; // written past the caches (host.hpp)
};

// All rows were measured on one H100 with 16 processors, of which a process may use eight here. A row has the
// best number of threads, or the fewest that come near the best. The comments give GB/s, beside those of the
// driver's own copy or of other settings.
namespace by_pieces {
inline constexpr std::size_t KiB = 1 << 10, MiB = 1 << 20;
inline constexpr Pieces up[] = {
    {512 * KiB, 4, 128 * KiB, sizes::block, true}, // 18 (driver 11); 1 MiB 24 (11), 2 MiB 28 (14)
    {4 * MiB, 4, 256 * KiB, sizes::block, true},   // 35 (14); 8 MiB 39 (14)
    {16 * MiB, 4, 512 * KiB, sizes::block, true},  // 41 (14)
    {64 * MiB, 8, 1 * MiB, sizes::block, true},    // 43 (12)
    // From here on the pieces have left the caches by themselves before the bus reads them.
    {128 * MiB, 8, 1 * MiB, sizes::block, false}, // 256 MiB 46, streaming 42
};
inline constexpr Pieces down[] = {
    {256 * KiB + 1, 4, 64 * KiB, 256 * KiB, false}, // 512 KiB 13; 1 MiB 17, 2 MiB 17, 4 MiB 27
    {8 * MiB, 6, 64 * KiB, sizes::block, false},    // 40, by 256 KiB 36; 16 MiB 44
    {32 * MiB, 6, 256 * KiB, sizes::block, true},   // 64 MiB 48; 256 MiB 50, not streaming 33
};
// For a strided side of the host. Eight threads gather rows of 64 bytes at 36, and scatter them at 23 to 33.
inline constexpr Pieces strided = {0, 8, 256 * KiB, sizes::block, false};
} // namespace by_pieces

// Copies by pieces in as many threads at once, or more, go each by its own thread, and send this much at a
// time. 1 MiB in each of 16 threads: downloads 26 GB/s before, uploads 33 (one H200, 16 processors).
namespace crowds {
inline constexpr int least = 4;
inline constexpr std::size_t piece = std::size_t{1} << 20;
} // namespace crowds

// A copy between the host and one device.
struct CopyRequest {
    std::size_t size;
    bool up;        // to the device
    bool pageable;  // the host's memory: neither page-locked nor managed
    bool strided;   // the host's elements are not packed in the order of the device's
    bool waits;     // the call does not return before the copy is done
    bool captured;  // the stream is being captured
    bool may_queue; // an upload may still be under way when the call returns
    int threads;    // of pieces_of(): 0 on the host runtime, whose own copies use threads
};
CopyPath copy_path_of(const CopyRequest &request);

// On the host runtime rectangles are cheaper than a host function, unless there are more calls than this, or
// more rows of at most this width. Rows of 4 bytes, 16 MiB: 31 ms by a rectangle, 2.5 by the host function; 4
// KiB: 9 and 17 us (two processors).
namespace host_moves {
inline constexpr ssize_t calls = 64, rows = 4096, width = 256;
}

// A copy or fill within one device.
struct Within {
    ssize_t size;
    ssize_t width; // of a row
    ssize_t calls; // rectangles
    bool on_host;  // on the host runtime
};
// Whether a kernel moves the elements, and not the runtime's copies. On the host runtime the CPU does
// instead.
bool goes_by_kernel(const Within &copy);
// Whether kernels are used at all: on the host runtime only if the settings say so.
bool has_kernels(bool on_host);

// How the rows of the device's side go.
enum class RowsPath : unsigned char {
    rectangles,  // by rectangular copies over the bus
    packed,      // packed in the device's memory first, by rectangular copies there
    whole_range, // copied to the host with all bytes between the rows, and picked out there
};
inline constexpr const char *rows_path_names[] = {"rectangles", "packed", "whole_range"};

namespace rows {
inline constexpr ssize_t narrow = 64;          // rows shorter than this are slow over the bus,
inline constexpr ssize_t narrow_on_link = 128; // and rows shorter than this are slow over a link,
inline constexpr ssize_t few = 32;             // unless there are only this many
inline constexpr ssize_t most_calls = 256;     // this many single copies cost as much as staging
inline constexpr ssize_t most_range = 16;      // times the size: a larger range is not worth fetching
} // namespace rows

struct Rows {
    ssize_t size;
    ssize_t width; // of a row
    ssize_t calls; // rectangles
    ssize_t reach; // from the first byte of the device's side to the last
    bool up;
    bool waits;
    bool kernels;  // a kernel can pack them
    CopyPath path; // of the packed bytes
};
RowsPath rows_path_of(const Rows &rows);
// Whether rows go over a bus or a link without being packed.
bool go_over(ssize_t size, ssize_t width, ssize_t calls, ssize_t least_width);

// The row of the table for a copy. Its threads are limited to half of the usable processors, and to the
// number of pieces; 0 on the host runtime.
Pieces pieces_of(std::size_t size, bool up, bool strided, bool on_host_runtime);

// What moves elements within a device: kernels are interpreted on the host runtime.
enum class MoveBy : unsigned char { table, kernels, rectangles };

// For tests and measurements.
struct CopySettings {
    std::atomic<std::size_t> results_from{least_in_huge_pages};
    std::atomic<std::size_t> piece{0}; // 0: as the table says
    std::atomic<MoveBy> moves{MoveBy::table};
    std::atomic<int> forced{-1}; // a CopyPath that is taken whenever it gives the right result
};
CopySettings &copy_settings();

} // namespace pygpu::arrays
