// The settings of coredumps. None is written here, so what would turn them on isn't supported.
#include "api/cu/implemented.hpp"

#include "base/handles.hpp"

#include <cstring>
#include <mutex>
#include <string>

#include <unistd.h>

namespace pygpu::host::cu {
namespace {

// CUcoredumpSettings of cuda.h.
enum Setting { on_exception = 1, trigger_host, lightweight, user_trigger, file, pipe, generation_flags };
constexpr std::size_t longest_name = 1024;
constexpr int dump_flags = (1 << 6) - 1;

struct CoredumpSettings {
    std::mutex mutex;
    bool switches[generation_flags + 1] = {};
    std::string names[generation_flags + 1];
    int flags = 0;
};

// One for all contexts.
CoredumpSettings &coredump_settings() {
    static auto *all = [] {
        auto *created = new CoredumpSettings;
        char host[256] = "";
        gethostname(host, sizeof host - 1);
        const std::string end = std::string(".cuda.") + host + "." + std::to_string(getpid());
        created->switches[trigger_host] = true;
        created->names[file] = "core" + end;
        created->names[pipe] = "corepipe" + end;
        return created;
    }();
    return *all;
}

bool is_name(int setting) { return setting == file || setting == pipe; }

std::size_t size_of(int setting) {
    return is_name(setting) ? longest_name : setting == generation_flags ? sizeof(int) : sizeof(bool);
}

} // namespace

Status CoredumpGetAttribute(int setting, void *value, std::size_t *size) {
    if (!size) return Status::invalid_value;
    if (!value) return *size = size_of(setting), Status::success;
    CoredumpSettings &all = coredump_settings();
    std::lock_guard lock(all.mutex);
    if (is_name(setting)) {
        const std::string &name = all.names[setting];
        if (*size <= name.size()) return Status::invalid_value;
        std::memcpy(value, name.c_str(), name.size() + 1);
        return Status::success;
    }
    if (*size < size_of(setting)) return Status::invalid_value;
    const void *const from =
        setting == generation_flags ? static_cast<const void *>(&all.flags) : &all.switches[setting];
    std::memcpy(value, from, size_of(setting));
    return Status::success;
}

Status CoredumpSetAttribute(int setting, void *value, std::size_t *size) {
    if (!value || !size) return Status::invalid_value;
    CoredumpSettings &all = coredump_settings();
    std::lock_guard lock(all.mutex);
    if (is_name(setting)) {
        const std::size_t length = strnlen(static_cast<const char *>(value), *size);
        if (length >= longest_name) return Status::invalid_value;
        all.names[setting].assign(static_cast<const char *>(value), length);
        return Status::success;
    }
    if (*size < size_of(setting)) return Status::invalid_value;
    if (setting == generation_flags) {
        int flags = 0;
        std::memcpy(&flags, value, sizeof flags);
        if (flags & ~dump_flags) return Status::invalid_value;
        all.flags = flags;
        return Status::success;
    }
    bool on = false;
    std::memcpy(&on, value, sizeof on);
    if (on && (setting == on_exception || setting == user_trigger)) return Status::not_supported;
    all.switches[setting] = on;
    return Status::success;
}

namespace {

struct CoredumpCallback {};

Handles<CoredumpCallback> &coredump_callbacks() {
    static auto *all = new Handles<CoredumpCallback>;
    return *all;
}

} // namespace

Status add_coredump_callback(bool callable, c::CUcoredumpCallbackHandle *handle) {
    if (!callable || !handle) return Status::invalid_value;
    void *const added = coredump_callbacks().add(std::make_shared<CoredumpCallback>());
    *handle = static_cast<c::CUcoredumpCallbackHandle>(added);
    return Status::success;
}

Status remove_coredump_callback(c::CUcoredumpCallbackHandle handle) {
    return coredump_callbacks().remove(handle) ? Status::success : Status::invalid_value;
}

} // namespace pygpu::host::cu
