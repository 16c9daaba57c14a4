// A driver that keeps a log, as CUDA's does since 12.9, and in the same file a runtime that fails and says
// why.
#include <cstddef>
#include <cstdio>

namespace {

char entries[100][64];
unsigned count;
int mode, mode_at_dump = -1, dumps;
bool ready = true, refusing = false;

} // namespace

extern "C" {
int cuThreadExchangeStreamCaptureMode(int *given) {
    if (!ready) return 3;
    const int before = mode;
    mode = *given;
    *given = before;
    return 0;
}
int cuLogsCurrent(unsigned *place, unsigned flags) {
    *place = count;
    return flags != 0;
}
int cuLogsDumpToMemory(unsigned *place, char *text, std::size_t *size, unsigned flags) {
    ++dumps;
    mode_at_dump = mode;
    if (refusing || flags || *size < 25600) return 1;
    char *at = text;
    for (unsigned one = place ? *place : 0; one < count; ++one) at += std::sprintf(at, "%s\n", entries[one]);
    *size = static_cast<std::size_t>(at - text);
    if (place) *place = count;
    return 0;
}

void log_entry(const char *text) { std::snprintf(entries[count++ % 100], 64, "%s", text); }

int times_dumped() { return dumps; }
int seen_mode() { return mode_at_dump; }
int current_mode() { return mode; }
void set_ready(int yes) { ready = yes; }
void refuse_dumps(int yes) { refusing = yes; }
}
