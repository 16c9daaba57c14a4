// The log of calls that failed, for both of CUDA's APIs.
#pragma once

#include "base/log.hpp"
#include "base/status.hpp"
#include "base/types.hpp"

namespace pygpu::host::api {

template <class Level>
Status LogsRegisterCallback(void (*callback)(void *, Level, char *, std::size_t), void *data,
                            LogTag **handle) {
    if (!callback) return Status::invalid_value;
    void *const added = add_log_listener([callback, data](LogLevel level, char *message, std::size_t length) {
        callback(data, static_cast<Level>(level), message, length);
    });
    if (handle) *handle = static_cast<LogTag *>(added);
    return Status::success;
}
Status LogsUnregisterCallback(LogTag *handle);
Status LogsCurrent(unsigned *iterator, unsigned flags);
Status LogsDumpToFile(unsigned *iterator, const char *path, unsigned flags);
Status LogsDumpToMemory(unsigned *iterator, char *buffer, std::size_t *size, unsigned flags);

} // namespace pygpu::host::api
