// Reading the log of calls that failed.
#include "api/logs.hpp"

#include <cstdio>
#include <cstring>

namespace pygpu::host::api {

Status LogsUnregisterCallback(LogTag *handle) {
    return remove_log_listener(handle) ? Status::success : Status::invalid_value;
}

// An H200 looks at the flags only where it writes a file.
Status LogsCurrent(unsigned *iterator, unsigned) {
    if (!iterator) return Status::invalid_value;
    *iterator = next_message();
    return Status::success;
}

Status LogsDumpToFile(unsigned *iterator, const char *path, unsigned flags) {
    if (!path || flags) return Status::invalid_value;
    const unsigned end = next_message();
    const std::string text = messages_from(iterator ? *iterator : 0);
    std::FILE *const file = std::fopen(path, "we");
    if (!file) return Status::invalid_value;
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (std::fclose(file) || !written) return Status::invalid_value;
    if (iterator) *iterator = end;
    return Status::success;
}

Status LogsDumpToMemory(unsigned *iterator, char *buffer, std::size_t *size, unsigned) {
    if (!buffer || !size) return Status::invalid_value;
    const unsigned end = next_message();
    std::string text;
    const bool fits = messages_within(iterator ? *iterator : 0, *size, text);
    if (*size) std::memcpy(buffer, text.c_str(), text.size() < *size ? text.size() + 1 : 0);
    *size = text.size();
    if (!fits) return Status::invalid_value;
    if (iterator) *iterator = end;
    return Status::success;
}

} // namespace pygpu::host::api
