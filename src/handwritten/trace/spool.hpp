// The file that calls are recorded in. Each thread maps pieces of its own of it, so that recording takes no
// lock and no system call, and that the file is whole however the process ends.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pygpu::trace {

inline constexpr std::size_t piece_size = 64 * 1024;

// What every record begins with. The size counts the head, and is a multiple of 8. It is written last: a
// reader that finds 0 has reached the end.
struct Head {
    std::uint32_t size;
    std::uint16_t kind, reserved;
};
enum class Kind : std::uint16_t { function = 1, place, begin, end, kernel, work, entered, clocks };

struct PieceHead {
    std::uint32_t magic, thread;
};

// The number of the recording under way. It changes with each start, stop and fork, and what belongs to an
// earlier one is then forgotten.
unsigned current_recording();
// A number for a definition, unique in the file.
std::uint32_t next_number();

// Starts to record into an empty file, which it takes over. It stays open until stop().
void start(int file);
void stop();
// Whether the file system had no more room; then recording has stopped by itself.
bool is_full();

// A piece of the file, mapped. Null if this recording has ended, or there is no room.
std::byte *map_piece(unsigned recording);
void unmap_piece(std::byte *piece);

} // namespace pygpu::trace
