// Waiting for callbacks when the program exits.
#pragma once

namespace pygpu {

// From now on the exit of the program waits for callbacks. False with an exception set.
bool watch_exit();

} // namespace pygpu
