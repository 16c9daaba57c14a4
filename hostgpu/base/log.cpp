// Messages of the log, and who listens.
#include "base/log.hpp"

#include "base/caught.hpp"
#include "base/handles.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <deque>
#include <mutex>

#include <unistd.h>

namespace pygpu::host {
namespace {

constexpr std::size_t most_bytes = 25600; // as in NVIDIA's driver
constexpr const char *cut = "[CUDA][W] older messages are left out\n";

struct Messages {
    std::mutex mutex;
    std::deque<std::string> lines;
    std::size_t bytes = 0;
    unsigned next = 0; // number of the next message

    unsigned first() const { return next - static_cast<unsigned>(lines.size()); }
};

Messages &messages() {
    static auto *all = new Messages;
    return *all;
}

Handles<LogListener> &listeners() {
    static auto *all = new Handles<LogListener>;
    return *all;
}

std::string line_of(LogLevel level, const std::string &text) {
    const auto now = std::chrono::system_clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    std::tm local{};
    localtime_r(&seconds, &local);
    const auto within = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()) % 1000;
    char begin[64];
    std::snprintf(begin, sizeof begin, "[%02d:%02d:%02d.%03d][%d][CUDA][%c] ", local.tm_hour, local.tm_min,
                  local.tm_sec, static_cast<int>(within.count()), static_cast<int>(getpid()),
                  level == LogLevel::error ? 'E' : 'W');
    return begin + text + "\n";
}

} // namespace

void log(LogLevel level, const std::string &text) noexcept {
    static thread_local bool inside = false;
    if (inside) return;
    inside = true;
    caught([&] {
        std::string line = line_of(level, text);
        Messages &all = messages();
        {
            std::lock_guard lock(all.mutex);
            all.lines.push_back(line);
            all.bytes += line.size();
            ++all.next;
            for (; all.bytes > most_bytes && all.lines.size() > 1; all.lines.pop_front())
                all.bytes -= all.lines.front().size();
        }
        line.pop_back();
        for (const auto &[handle, listener] : listeners().all()) (*listener)(level, line.data(), line.size());
        return Status::success;
    });
    inside = false;
}

void *add_log_listener(LogListener listener) {
    return listeners().add(std::make_shared<LogListener>(std::move(listener)));
}

bool remove_log_listener(const void *handle) { return listeners().remove(handle) != nullptr; }

unsigned next_message() {
    std::lock_guard lock(messages().mutex);
    return messages().next;
}

std::string messages_from(unsigned first) {
    Messages &all = messages();
    std::lock_guard lock(all.mutex);
    std::string text;
    const unsigned oldest = all.first();
    if (first < oldest) text = cut;
    for (unsigned number = std::max(first, oldest); number < all.next; ++number)
        text += all.lines[number - oldest];
    return text;
}

bool messages_within(unsigned first, std::size_t size, std::string &text) {
    text = messages_from(first);
    if (text.empty() || text.size() < size) return true;
    const std::size_t most =
        size > std::char_traits<char>::length(cut) + 1 ? size - std::char_traits<char>::length(cut) - 1 : 0;
    // The newest lines that have space behind the one that says so.
    const std::size_t from = text.size() - std::min(most, text.size());
    const std::size_t begin = from ? text.find('\n', from - 1) : std::string::npos;
    if (begin == std::string::npos || begin + 1 >= text.size()) return text.clear(), false;
    text = cut + text.substr(begin + 1);
    return true;
}

} // namespace pygpu::host
