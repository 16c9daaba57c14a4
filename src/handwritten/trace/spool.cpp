// Pieces of the file, and what happens to them at a fork.
#include "trace/spool.hpp"

#include "base/lock.hpp"
#include "trace/on.hpp"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace pygpu::trace {

constinit std::atomic<unsigned> active{0};

namespace {

constinit std::mutex mutex; // guards the file and its length
int spool = -1;
off_t length = 0;
bool full = false;
constinit std::atomic<unsigned> number{0};
constinit std::atomic<std::uint32_t> definitions{0};

constexpr std::uint32_t magic = 0x52544750; // "PGTR"

// A child shares the parent's pieces and must not write to them.
void leave_in_child() {
    active &= ~(recording | keeping);
    ++number;
    if (spool >= 0) close(spool);
    spool = -1;
    mutex.unlock();
}

void watch_forks() {
    static const int once = pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); }, leave_in_child);
    static_cast<void>(once);
}

int reserve(off_t from) {
    int error = 0;
    do error = posix_fallocate(spool, from, piece_size);
    while (error == EINTR);
    return error;
}

} // namespace

unsigned current_recording() { return number.load(std::memory_order_relaxed); }
std::uint32_t next_number() { return definitions.fetch_add(1, std::memory_order_relaxed) + 1; }

void start(int file) {
    stop();
    watch_forks();
    const Lock lock(mutex);
    spool = file;
    length = 0;
    full = false;
    ++number;
    active |= recording;
}

void stop() {
    active &= ~recording;
    const Lock lock(mutex);
    ++number;
    if (spool >= 0) close(spool);
    spool = -1;
}

bool is_full() {
    const Lock lock(mutex);
    return full;
}

std::byte *map_piece(unsigned of) {
    const Lock lock(mutex);
    if (spool < 0 || full || of != number) return nullptr;
    void *piece = MAP_FAILED;
    // Reserved first: writing to a mapped hole of a full disk would end the process by SIGBUS.
    if (!reserve(length))
        piece = mmap(nullptr, piece_size, PROT_READ | PROT_WRITE, MAP_SHARED, spool, length);
    if (piece == MAP_FAILED) {
        full = true;
        active &= ~recording;
        return nullptr;
    }
    length += piece_size;
    *static_cast<PieceHead *>(piece) = {magic, static_cast<std::uint32_t>(gettid())};
    return static_cast<std::byte *>(piece);
}

void unmap_piece(std::byte *piece) {
    if (piece) munmap(piece, piece_size);
}

} // namespace pygpu::trace
