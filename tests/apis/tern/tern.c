/* Tern's library on the host's memory. Work is done when it is queued, unless a test holds the device. */
#include "tern.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LARGEST ((size_t)1 << 30) /* bytes that the device has for one allocation */

struct ternQueue {
    char alive;
};
struct ternMarker {
    double at;
};
struct ternHeap {
    uint64_t used, keeps;
};

struct ternHold {
    void *data;
    void (*over)(void *data);
    struct ternHold *next;
};
struct ternPlan {
    struct ternHold *holds;
};

static struct ternPlan the_plan;
static int recorded;               /* every queue records into the plan */
static int relaxed, unknown_modes; /* calls of ternModeSwap() */

static __thread ternResult last;
static int held; /* all that is asked for is not ready */
static int calls;

static ternResult done(ternResult result) {
    ++calls;
    if (result) last = result;
    return result;
}

/* For tests, through ctypes. */
void tern_hold(int on) { held = on; }
int tern_calls(void) { return calls; }
int tern_relaxed(void) { return unknown_modes ? -unknown_modes : relaxed; }
void tern_record(int on) { recorded = on; }
int tern_end_plan(void) { /* ends the recorded work; returns how many holds it had */
    int count = 0;
    for (struct ternHold *one = the_plan.holds, *next; one; one = next, ++count) {
        next = one->next;
        one->over(one->data);
        free(one);
    }
    the_plan.holds = NULL;
    return count;
}

ternResult ternVersion(int *version) {
    *version = TERN_VERSION;
    return TERN_OK;
}
const char *ternResultText(ternResult result) { return result == TERN_OUT_OF_MEMORY ? "Tern is full" : "Tern"; }
ternResult ternPeekResult(void) { return last; }
ternResult ternLastResult(void) {
    const ternResult result = last;
    last = TERN_OK;
    return result;
}

ternResult ternDevices(int *count) { return *count = 1, done(TERN_OK); }
ternResult ternDeviceNow(int *device) { return *device = 0, done(TERN_OK); }
ternResult ternDeviceFact(int *value, enum ternFact fact, int device) {
    return *value = fact == TERN_FACT_GENERATION ? 7 : 0, done(device ? TERN_BAD_DEVICE : TERN_OK);
}
ternResult ternDeviceTake(int device) { return done(device ? TERN_BAD_DEVICE : TERN_OK); }
ternResult ternDeviceReaches(int *can, int device, int peer) { return *can = device == peer, done(TERN_OK); }
ternResult ternDeviceOpenTo(int peer, unsigned int flags) { return done(peer || flags ? TERN_BAD_DEVICE : TERN_OK); }

static ternResult take(void **pointer, size_t size) {
    *pointer = size > LARGEST ? NULL : malloc(size ? size : 1);
    return done(*pointer ? TERN_OK : TERN_OUT_OF_MEMORY);
}

ternResult ternAllocate(void **pointer, size_t size) { return take(pointer, size); }
ternResult ternRelease(void *pointer) { return free(pointer), done(TERN_OK); }
ternResult ternMemoryLeft(size_t *left, size_t *total) { return *left = *total = LARGEST, done(TERN_OK); }
ternResult ternAllocateShared(void **pointer, size_t size, unsigned int flags) {
    return flags == TERN_SHARED_BY_ALL ? take(pointer, size) : done(TERN_BAD_ARGUMENT);
}
ternResult ternAllocatePages(void **pointer, size_t size, unsigned int flags) {
    return flags == TERN_PAGES_FOR_ALL ? take(pointer, size) : done(TERN_BAD_ARGUMENT);
}
ternResult ternReleasePages(void *pointer) { return free(pointer), done(TERN_OK); }
ternResult ternRegister(void *pointer, size_t size, unsigned int flags) {
    return done(pointer && size && flags == TERN_REGISTER_FOR_ALL ? TERN_OK : TERN_BAD_ARGUMENT);
}
ternResult ternUnregister(void *pointer) { return done(pointer ? TERN_OK : TERN_BAD_ARGUMENT); }
ternResult ternAddressOnDevice(void **there, void *pointer, unsigned int flags) {
    return *there = pointer, done(flags ? TERN_BAD_ARGUMENT : TERN_OK);
}
ternResult ternAddressFactsOf(struct ternAddressFacts *facts, const void *pointer) {
    (void)pointer;
    memset(facts, 0, sizeof *facts);
    facts->memory = TERN_MEMORY_ORDINARY;
    return done(TERN_OK);
}

ternResult ternHeapCreate(ternHeap_t *heap, const struct ternHeapConfig *config) {
    if (config->moves != TERN_HEAP_FIXED || config->home.site != TERN_SITE_DEVICE)
        return done(TERN_BAD_ARGUMENT);
    *heap = calloc(1, sizeof **heap);
    return done(*heap ? TERN_OK : TERN_OUT_OF_MEMORY);
}
ternResult ternHeapDestroy(ternHeap_t heap) { return free(heap), done(TERN_OK); }
ternResult ternHeapShare(ternHeap_t heap, const struct ternHeapAccess *access, size_t count) {
    return done(heap && count && access->rights == TERN_RIGHTS_ALL && access->user.home.site == TERN_SITE_DEVICE ? TERN_OK : TERN_BAD_ARGUMENT);
}
ternResult ternHeapAsk(ternHeap_t heap, enum ternHeapFact fact, void *value) {
    *(uint64_t *)value = fact == TERN_HEAP_KEEPS ? heap->keeps : heap->used;
    return done(TERN_OK);
}
ternResult ternHeapSet(ternHeap_t heap, enum ternHeapFact fact, void *value) {
    if (fact != TERN_HEAP_KEEPS) return done(TERN_BAD_ARGUMENT);
    heap->keeps = *(uint64_t *)value;
    return done(TERN_OK);
}
ternResult ternHeapTrim(ternHeap_t heap, size_t keep) { return (void)keep, done(heap ? TERN_OK : TERN_BAD_HANDLE); }
ternResult ternHeapAllocate(void **pointer, size_t size, ternHeap_t heap, ternQueue_t queue) {
    (void)queue;
    const ternResult result = take(pointer, size);
    if (!result) heap->used += size;
    return result;
}
ternResult ternHeapRelease(void *pointer, ternQueue_t queue) { return (void)queue, free(pointer), done(TERN_OK); }

static int is_kind(enum ternCopyKind kind) { return kind >= TERN_COPY_DOWN && kind <= TERN_COPY_HOST; }

ternResult ternCopy(void *to, const void *from, size_t size, enum ternCopyKind kind) {
    if (!is_kind(kind)) return done(TERN_BAD_ARGUMENT);
    memmove(to, from, size);
    return done(TERN_OK);
}
ternResult ternCopyLater(void *to, const void *from, size_t size, enum ternCopyKind kind, ternQueue_t queue) {
    return (void)queue, ternCopy(to, from, size, kind);
}
ternResult ternCopyRowsLater(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                             size_t height, enum ternCopyKind kind, ternQueue_t queue) {
    (void)queue;
    if (!is_kind(kind) || width > to_pitch || width > from_pitch) return done(TERN_BAD_ARGUMENT);
    for (size_t row = 0; row < height; ++row)
        memmove((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width);
    return done(TERN_OK);
}
ternResult ternCopyBoxLater(const struct ternCopy3D *copy, ternQueue_t queue) {
    const struct ternTarget *to = &copy->target;
    for (size_t slice = 0; slice < copy->slices; ++slice) {
        const ternResult result = ternCopyRowsLater(
            (char *)to->start + slice * to->slice_rows * to->row_bytes, to->row_bytes,
            (const char *)copy->source + slice * copy->source_slice_rows * copy->source_row_bytes,
            copy->source_row_bytes, copy->bytes, copy->rows, copy->towards, queue);
        if (result) return result;
    }
    return done(TERN_OK);
}
ternResult ternSetLater(void *to, int value, size_t size, ternQueue_t queue) {
    return (void)queue, memset(to, value, size), done(TERN_OK);
}
ternResult ternSetRowsLater(void *to, size_t pitch, int value, size_t width, size_t height, ternQueue_t queue) {
    (void)queue;
    for (size_t row = 0; row < height; ++row) memset((char *)to + row * pitch, value, width);
    return done(TERN_OK);
}

ternResult ternQueueCreate(ternQueue_t *queue, unsigned int flags, int priority) {
    (void)priority;
    if (flags & ~(unsigned)TERN_QUEUE_FREE) return done(TERN_BAD_ARGUMENT);
    *queue = calloc(1, sizeof **queue);
    return done(*queue ? TERN_OK : TERN_OUT_OF_MEMORY);
}
ternResult ternQueueDestroy(ternQueue_t queue) { return free(queue), done(TERN_OK); }
ternResult ternQueueAsk(ternQueue_t queue) { return (void)queue, done(held ? TERN_NOT_READY : TERN_OK); }
ternResult ternQueueDevice(ternQueue_t queue, int *device) { return (void)queue, *device = 0, done(TERN_OK); }
ternResult ternQueueWait(ternQueue_t queue) { return (void)queue, done(TERN_OK); }
ternResult ternQueueAfter(ternQueue_t queue, ternMarker_t marker, unsigned int flags) {
    return (void)queue, done(marker && !flags ? TERN_OK : TERN_BAD_HANDLE);
}
ternResult ternQueueRecording(ternQueue_t queue, enum ternRecording *recording) {
    return (void)queue, *recording = recorded ? TERN_RECORDING_ON : TERN_RECORDING_OFF, done(TERN_OK);
}
ternResult ternQueueRecordingInto(ternQueue_t queue, enum ternRecording *recording, unsigned long long *number,
                                  ternPlan_t *plan, void *reserved) {
    if (!number || reserved) return done(TERN_BAD_ARGUMENT);
    *number = 1;
    *plan = recorded ? &the_plan : NULL;
    return ternQueueRecording(queue, recording);
}
ternResult ternModeSwap(enum ternMode *mode) {
    static __thread enum ternMode now = TERN_MODE_STRICT;
    const enum ternMode wanted = *mode;
    if (wanted != TERN_MODE_STRICT && wanted != TERN_MODE_RELAXED) return ++unknown_modes, done(TERN_BAD_ARGUMENT);
    if (wanted == TERN_MODE_RELAXED) ++relaxed;
    *mode = now, now = wanted;
    return TERN_OK;
}
ternResult ternHoldCreate(ternHold_t *hold, void *data, void (*over)(void *data), unsigned int count,
                          unsigned int flags) {
    if (count != 1 || flags != TERN_HOLD_ANY_THREAD) return done(TERN_BAD_ARGUMENT);
    *hold = malloc(sizeof **hold);
    (*hold)->data = data, (*hold)->over = over;
    return TERN_OK;
}
ternResult ternPlanHold(ternPlan_t plan, ternHold_t hold, unsigned int count, unsigned int flags) {
    if (plan != &the_plan || count != 1 || flags != TERN_HOLD_PASS) return done(TERN_BAD_ARGUMENT);
    hold->next = plan->holds, plan->holds = hold;
    return TERN_OK;
}
ternResult ternQueueCall(ternQueue_t queue, void (*function)(void *data), void *data) {
    return (void)queue, function(data), done(TERN_OK);
}

ternResult ternMarkerCreate(ternMarker_t *marker, unsigned int flags) {
    if (flags & ~(unsigned)TERN_MARKER_UNTIMED) return done(TERN_BAD_ARGUMENT);
    *marker = calloc(1, sizeof **marker);
    return done(*marker ? TERN_OK : TERN_OUT_OF_MEMORY);
}
ternResult ternMarkerDestroy(ternMarker_t marker) { return free(marker), done(TERN_OK); }
ternResult ternMarkerPut(ternMarker_t marker, ternQueue_t queue) {
    struct timespec now;
    (void)queue;
    if (!marker) return done(TERN_BAD_HANDLE);
    clock_gettime(CLOCK_MONOTONIC, &now);
    marker->at = (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
    return done(TERN_OK);
}
ternResult ternMarkerAsk(ternMarker_t marker) { return done(!marker ? TERN_BAD_HANDLE : held ? TERN_NOT_READY : TERN_OK); }
ternResult ternMarkerWait(ternMarker_t marker) { return done(marker ? TERN_OK : TERN_BAD_HANDLE); }
ternResult ternMarkerTime(float *milliseconds, ternMarker_t start, ternMarker_t end) {
    *milliseconds = (float)(end->at - start->at);
    return done(held ? TERN_NOT_READY : TERN_OK);
}
