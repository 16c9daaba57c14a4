// Starting and stopping, and keeping the lines of calls that are made without the GIL.
#include "trace/control.hpp"

#include "python/gil.hpp"
#include "trace/on.hpp"
#include "trace/place.hpp"
#include "trace/span.hpp"
#include "trace/spool.hpp"

#include <utility>

namespace pygpu::trace {

void start_recording(int file, std::string package_folder) {
    set_package_folder(std::move(package_folder));
    start(file);
    before_release = note_place;
}

void locate(bool on, std::string package_folder) {
    set_package_folder(std::move(package_folder));
    if (on)
        active |= locating;
    else
        active &= ~locating;
}

bool stop_recording() {
    before_release = nullptr;
    stop();
    return !is_full();
}

} // namespace pygpu::trace
