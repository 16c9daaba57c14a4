// What Python's side of the trace calls, with the GIL.
#pragma once

#include <string>

namespace pygpu::trace {

// Records into an empty file, which it takes over. Lines of code below the folder are not shown: those of its
// callers are.
void start_recording(int file, std::string package_folder);
// Whether calls that queue work wait for it, so that its faults are their own.
void locate(bool on, std::string package_folder);
// Returns whether all calls are recorded: false if the file system had no more room.
bool stop_recording();

} // namespace pygpu::trace
