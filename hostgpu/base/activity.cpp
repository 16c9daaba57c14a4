// The file and its slots.
#include "base/activity.hpp"

#include "base/call.hpp"
#include "base/visible.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pygpu::host {
namespace {

constexpr std::size_t most_processes = 128, most_devices = 64;
constexpr std::uint64_t span = 125'000; // microseconds that a bucket stands for
constexpr std::size_t window = 8;       // buckets of the last second
constexpr std::size_t buckets = 12;     // more than a window, so that none is reused while it is read

// Time that was busy: in each bucket the number of the span in the upper bits, and microseconds of it.
struct Time {
    std::atomic<std::uint32_t> running;
    std::atomic<std::uint64_t> since; // microseconds; while something runs
    std::atomic<std::uint64_t> bucket[buckets];
};

struct DeviceUse {
    std::atomic<std::int64_t> memory;
    std::atomic<std::uint32_t> used;
    Time kernels, any;
};

using Slot = std::array<DeviceUse, most_devices>;

// `owner` has the process and when it started, so that a later process of the same number isn't taken for it.
constexpr std::uint64_t unready = std::uint64_t{1} << 63; // the slot is being emptied
struct Page {
    std::atomic<std::uint64_t> owner[most_processes];
    Slot slot[most_processes];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

std::uint64_t microseconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now); // all processes have the same
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
           static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

// Null for anything but a file of this user's alone. It only ever grows to its one size, and no program of
// this library shrinks it.
Page *open_page(bool create) {
    char name[64];
    std::snprintf(name, sizeof name, "/dev/shm/pygpu-host-1-%u", static_cast<unsigned>(geteuid()));
    const int file = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | (create ? O_CREAT : 0), 0600);
    if (file < 0) return nullptr;
    void *page = MAP_FAILED;
    struct stat status{};
    const bool ours = !fstat(file, &status) && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
                      status.st_nlink == 1 && !(status.st_mode & 077);
    constexpr auto size = static_cast<off_t>(sizeof(Page));
    if (ours && (status.st_size == size || (create && !status.st_size && !ftruncate(file, size))))
        page = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return page == MAP_FAILED ? nullptr : static_cast<Page *>(page);
}

// The number of a process with the low bits of its start, from /proc; 0 if it is gone, or ended and not
// waited for.
std::uint64_t owner_of(int process) {
    char name[32], text[512];
    std::snprintf(name, sizeof name, "/proc/%d/stat", process);
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) return 0;
    text[length] = 0;
    const char *at = std::strrchr(text, ')'); // the command's name may have anything in it
    if (!at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X') return 0;
    constexpr int fields_before_start = 20; // proc(5): it is field 22, and ')' ends field 2
    for (int field = 0; at && field < fields_before_start; ++field) at = std::strchr(at + 1, ' ');
    if (!at) return 0;
    const auto start = static_cast<std::uint32_t>(std::strtoull(at, nullptr, 10));
    return std::uint64_t{static_cast<std::uint32_t>(process)} << 32 | start;
}

int pid_of(std::uint64_t owner) { return static_cast<int>(owner >> 32 & 0x7fffffffu); }
bool is_alive(std::uint64_t owner) { return owner_of(pid_of(owner)) == (owner & ~unready); }

void empty(Time &time) {
    time.running = 0;
    time.since = 0;
    for (auto &one : time.bucket) one = 0;
}

void empty(Slot &slot) {
    for (DeviceUse &one : slot) {
        if (!one.used) continue;
        one.memory = 0;
        empty(one.kernels);
        empty(one.any);
        one.used = 0;
    }
}

// This process's part in it.
struct Own {
    Page *page = nullptr;
    std::size_t index = 0;
    std::uint64_t owner = 0;
    std::array<int, most_devices> on_machine{};
};
Own own;
Slot nowhere; // what a process without a slot writes to
std::atomic<Slot *> mine{nullptr};

// At exit, and in a forked child, which has no devices.
void leave() {
    if (mine.exchange(&nowhere) == &nowhere) return;
    std::uint64_t owner = own.owner;
    if (own.page) own.page->owner[own.index].compare_exchange_strong(owner, 0);
}
void leave_in_child() { mine = &nowhere; }

// The caller is alone. A program that replaced itself by exec() finds its old slot.
Slot *claim() {
    own.owner = owner_of(getpid());
    own.page = own.owner ? open_page(true) : nullptr;
    if (!own.page) return &nowhere;
    const auto &devices = on_hip() ? visible().amd : visible().nvidia;
    std::copy_n(devices.begin(), std::min(devices.size(), most_devices), own.on_machine.begin());
    for (const bool look_for_dead : {false, true}) {
        for (std::size_t index = 0; index < most_processes; ++index) {
            std::atomic<std::uint64_t> &owner = own.page->owner[index];
            std::uint64_t before = owner;
            const bool usable =
                !before || (before & ~unready) == own.owner || (look_for_dead && !is_alive(before));
            if (!usable || !owner.compare_exchange_strong(before, own.owner | unready)) continue;
            own.index = index;
            empty(own.page->slot[index]);
            owner = own.owner;
            pthread_atfork(nullptr, nullptr, leave_in_child);
            std::atexit(leave);
            return &own.page->slot[index];
        }
    }
    return &nowhere;
}

DeviceUse *use_of(int device) {
    if (device < 0 || static_cast<std::size_t>(device) >= most_devices) return nullptr;
    Slot *slot = mine.load(std::memory_order_acquire);
    if (!slot) {
        static std::once_flag once;
        try {
            std::call_once(once, [] { mine.store(claim(), std::memory_order_release); });
        } catch (const std::bad_alloc &) {
            return nullptr; // the next use tries again
        }
        slot = mine.load(std::memory_order_acquire);
    }
    DeviceUse &use = (*slot)[static_cast<std::size_t>(own.on_machine[static_cast<std::size_t>(device)])];
    if (!use.used.load(std::memory_order_relaxed)) use.used = 1;
    return &use;
}

void add(std::atomic<std::uint64_t> &bucket, std::uint64_t number, std::uint64_t amount) {
    std::uint64_t before = bucket.load(std::memory_order_relaxed), after = 0;
    do {
        const bool current = before >> 24 == number;
        after = number << 24 | ((current ? before & 0xffffffu : 0) + amount);
    } while (!bucket.compare_exchange_weak(before, after, std::memory_order_relaxed));
}

void start(Time &time) {
    if (!time.running.fetch_add(1)) time.since = microseconds();
}

void stop(Time &time) {
    const std::uint64_t since = time.since;
    if (time.running.fetch_sub(1) != 1) return;
    const std::uint64_t now = microseconds();
    for (std::uint64_t from = std::max(since, now - std::min(now, window * span)); from < now;) {
        const std::uint64_t number = from / span, to = std::min(now, (number + 1) * span);
        add(time.bucket[number % buckets], number, to - from);
        from = to;
    }
}

// Percent of the whole buckets of the last second.
unsigned percent(const Time &time, std::uint64_t now) {
    const std::uint64_t last = now / span, first = last - std::min<std::uint64_t>(last, window);
    std::uint64_t busy = 0;
    for (const auto &bucket : time.bucket) {
        const std::uint64_t value = bucket.load(std::memory_order_relaxed), number = value >> 24;
        if (number >= first && number < last) busy += value & 0xffffffu;
    }
    if (time.running.load()) {
        const std::uint64_t since = std::max(time.since.load(), first * span);
        busy += last * span - std::min(since, last * span);
    }
    return static_cast<unsigned>(
        std::min<std::uint64_t>(100, (busy * 100 + window * span / 2) / (window * span)));
}

} // namespace

void show_use(int device) { use_of(device); }

void show_memory(int device, std::ptrdiff_t bytes) {
    if (DeviceUse *use = use_of(device)) use->memory.fetch_add(bytes, std::memory_order_relaxed);
}

Busy::Busy(int device, Load load) : device_(device), load_(load) {
    DeviceUse *use = load_ == Load::none ? nullptr : use_of(device_);
    if (!use) return;
    start(use->any);
    if (load_ == Load::kernel) start(use->kernels);
}

Busy::~Busy() {
    DeviceUse *use = load_ == Load::none ? nullptr : use_of(device_);
    if (!use) return;
    if (load_ == Load::kernel) stop(use->kernels);
    stop(use->any);
}

std::vector<Activity> activities(int on_machine) {
    std::vector<Activity> all;
    if (on_machine < 0 || static_cast<std::size_t>(on_machine) >= most_devices) return all;
    static std::atomic<Page *> page{nullptr}; // stays mapped once it is
    static std::mutex mutex;
    if (!page) {
        std::lock_guard lock(mutex);
        if (!page) page = open_page(false);
    }
    if (!page) return all;
    const std::uint64_t now = microseconds();
    for (std::size_t index = 0; index < most_processes; ++index) {
        const std::uint64_t owner = page.load()->owner[index];
        if (!owner || owner & unready || !is_alive(owner)) continue;
        const DeviceUse &use = page.load()->slot[index][static_cast<std::size_t>(on_machine)];
        if (!use.used) continue;
        const std::int64_t memory = use.memory;
        all.push_back({pid_of(owner), memory > 0 ? static_cast<std::size_t>(memory) : 0,
                       percent(use.kernels, now), percent(use.any, now)});
    }
    return all;
}

} // namespace pygpu::host
