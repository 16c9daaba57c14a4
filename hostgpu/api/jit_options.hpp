// The options of loading and linking code, which the APIs number alike.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace pygpu::host::api {

// Only the options of the error log count.
struct JitOptions {
    unsigned number = 0;
    const int *options = nullptr;
    void **values = nullptr;

    bool is_complete() const { return !number || (options && values); }

    // Bytes of the error log.
    std::size_t room() const {
        // The size is an unsigned int in the place of a pointer.
        void **const size = value_of(error_log_size);
        return size ? reinterpret_cast<std::uintptr_t>(*size) & 0xffffffffu : 0;
    }

    // Writes the log and its length, which takes the place of its size.
    void log(const std::string &text, std::size_t room) const {
        void **const size = value_of(error_log_size), **const log = value_of(error_log);
        if (!size) return;
        char *const to = log ? static_cast<char *>(*log) : nullptr;
        const std::size_t length = to && room ? std::min(text.size(), room - 1) : 0;
        if (to && room) std::memcpy(to, text.c_str(), length), to[length] = '\0';
        *size = reinterpret_cast<void *>(length);
    }
    void log(const std::string &text) const { log(text, room()); }

    static constexpr int error_log = 5, error_log_size = 6;

    void **value_of(int option) const {
        void **value = nullptr;
        for (unsigned index = 0; index < number; ++index)
            if (options[index] == option) value = &values[index];
        return value;
    }
};

} // namespace pygpu::host::api
