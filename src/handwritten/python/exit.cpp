// Counting callbacks, and telling the thread that finalises the interpreter from the others.
#include "python/exit.hpp"

namespace pygpu {
namespace {

constinit Exit own_exit;

int &own_callbacks_entered() {
    thread_local int entered = 0;
    return entered;
}

} // namespace

constinit Exit *program_exit = &own_exit;
int &(*callbacks_entered)() = own_callbacks_entered;

bool begin_callback() {
    if (inside_callback()) return true; // counted already
    ++program_exit->running_callbacks;  // count first, then read: the exit writes first, then reads the count
    if (!program_exit->begun) return true;
    --program_exit->running_callbacks;
    return false;
}

void end_callback() {
    if (!inside_callback()) --program_exit->running_callbacks;
}

bool is_overtaken() {
    return interpreter_is_finalising() && !pthread_equal(program_exit->thread, pthread_self());
}

} // namespace pygpu
