/* The runtime of an invented vendor: no name, order of enumerators or status is CUDA's. */
#ifndef TERN_H
#define TERN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TERN_VERSION 104 /* 1.4 */

typedef enum ternResult {
    TERN_OK = 0,
    TERN_BAD_ARGUMENT = 4,
    TERN_BAD_HANDLE = 7,
    TERN_NOT_READY = 9,
    TERN_BAD_DEVICE = 11,
    TERN_NO_CONTEXT = 12,
    TERN_OUT_OF_MEMORY = 19,
    TERN_NO_SUPPORT = 23,
    TERN_IN_CAPTURE = 31,
    TERN_DEVICE_ENDED = 32,
    TERN_FORBIDDEN = 33,
    TERN_WRONG_CODE = 34,
    TERN_NO_FUNCTION = 41,
    TERN_NO_LIBRARY = 42
} ternResult;

typedef struct ternQueue *ternQueue_t;
typedef struct ternMarker *ternMarker_t;
typedef struct ternHeap *ternHeap_t;
typedef struct ternPlan *ternPlan_t; /* of recorded work */
typedef struct ternHold *ternHold_t;

enum ternCopyKind { TERN_COPY_DOWN, TERN_COPY_UP, TERN_COPY_INSIDE, TERN_COPY_HOST };
enum ternRecording { TERN_RECORDING_ON, TERN_RECORDING_OFF };
enum ternFact { TERN_FACT_MEMORY = 3, TERN_FACT_GENERATION = 8 };
enum ternMode { TERN_MODE_STRICT = 4, TERN_MODE_RELAXED = 5 };
enum ternMemoryKind { TERN_MEMORY_DEVICE, TERN_MEMORY_SHARED, TERN_MEMORY_ORDINARY };
enum ternHeapKind { TERN_HEAP_MOVABLE, TERN_HEAP_FIXED };
enum ternSite { TERN_SITE_HOST, TERN_SITE_DEVICE };
enum ternRights { TERN_RIGHTS_NONE, TERN_RIGHTS_READ, TERN_RIGHTS_ALL };
enum ternHeapFact { TERN_HEAP_USED, TERN_HEAP_RESERVED, TERN_HEAP_KEEPS };

#define TERN_QUEUE_FREE 8       /* not ordered with the default queue */
#define TERN_MARKER_UNTIMED 16
#define TERN_PAGES_FOR_ALL 32
#define TERN_REGISTER_FOR_ALL 64
#define TERN_SHARED_BY_ALL 128
#define TERN_HOLD_ANY_THREAD 256 /* the function of a hold may be called on any thread */
#define TERN_HOLD_PASS 512       /* the plan takes over the reference */

struct ternHome {
    int number;
    enum ternSite site;
};
struct ternHeapConfig {
    char reserved[32];
    struct ternHome home;
    enum ternHeapKind moves;
};
struct ternHeapAccess {
    enum ternRights rights;
    struct {
        struct ternHome home;
    } user;
};
struct ternTarget {
    void *start;
    size_t row_bytes, slice_rows, row_size;
};
/* The source lies flat in the struct, the target doesn't. */
struct ternCopy3D {
    enum ternCopyKind towards;
    size_t slices, rows, bytes;
    const void *source;
    size_t source_row_bytes, source_slice_rows, source_row_size;
    struct ternTarget target;
};
struct ternAddressFacts {
    void *on_host, *on_device;
    int owner;
    enum ternMemoryKind memory;
};

ternResult ternVersion(int *version);
const char *ternResultText(ternResult result);
ternResult ternLastResult(void);
ternResult ternPeekResult(void);

ternResult ternDevices(int *count);
ternResult ternDeviceNow(int *device);
ternResult ternDeviceFact(int *value, enum ternFact fact, int device);
ternResult ternDeviceTake(int device);
ternResult ternDeviceReaches(int *can, int device, int peer);
ternResult ternDeviceOpenTo(int peer, unsigned int flags);

ternResult ternAllocate(void **pointer, size_t size);
ternResult ternRelease(void *pointer);
ternResult ternMemoryLeft(size_t *left, size_t *total);
ternResult ternAllocateShared(void **pointer, size_t size, unsigned int flags);
ternResult ternAllocatePages(void **pointer, size_t size, unsigned int flags);
ternResult ternReleasePages(void *pointer);
ternResult ternRegister(void *pointer, size_t size, unsigned int flags);
ternResult ternUnregister(void *pointer);
ternResult ternAddressOnDevice(void **there, void *pointer, unsigned int flags);
ternResult ternAddressFactsOf(struct ternAddressFacts *facts, const void *pointer);

ternResult ternHeapCreate(ternHeap_t *heap, const struct ternHeapConfig *config);
ternResult ternHeapDestroy(ternHeap_t heap);
ternResult ternHeapShare(ternHeap_t heap, const struct ternHeapAccess *access, size_t count);
ternResult ternHeapAsk(ternHeap_t heap, enum ternHeapFact fact, void *value);
ternResult ternHeapSet(ternHeap_t heap, enum ternHeapFact fact, void *value);
ternResult ternHeapTrim(ternHeap_t heap, size_t keep);
ternResult ternHeapAllocate(void **pointer, size_t size, ternHeap_t heap, ternQueue_t queue);
ternResult ternHeapRelease(void *pointer, ternQueue_t queue);

ternResult ternCopy(void *to, const void *from, size_t size, enum ternCopyKind kind);
ternResult ternCopyLater(void *to, const void *from, size_t size, enum ternCopyKind kind, ternQueue_t queue);
ternResult ternCopyRowsLater(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                             size_t height, enum ternCopyKind kind, ternQueue_t queue);
ternResult ternCopyBoxLater(const struct ternCopy3D *copy, ternQueue_t queue);
ternResult ternSetLater(void *to, int value, size_t size, ternQueue_t queue);
ternResult ternSetRowsLater(void *to, size_t pitch, int value, size_t width, size_t height, ternQueue_t queue);

ternResult ternQueueCreate(ternQueue_t *queue, unsigned int flags, int priority);
ternResult ternQueueDestroy(ternQueue_t queue);
ternResult ternQueueAsk(ternQueue_t queue);
ternResult ternQueueDevice(ternQueue_t queue, int *device);
ternResult ternQueueWait(ternQueue_t queue);
ternResult ternQueueAfter(ternQueue_t queue, ternMarker_t marker, unsigned int flags);
ternResult ternQueueRecording(ternQueue_t queue, enum ternRecording *recording);
/* `number` of the recording may be asked for, too. */
ternResult ternQueueRecordingInto(ternQueue_t queue, enum ternRecording *recording, unsigned long long *number,
                                  ternPlan_t *plan, void *reserved);
ternResult ternModeSwap(enum ternMode *mode);
ternResult ternHoldCreate(ternHold_t *hold, void *data, void (*over)(void *data), unsigned int count,
                          unsigned int flags);
ternResult ternPlanHold(ternPlan_t plan, ternHold_t hold, unsigned int count, unsigned int flags);
ternResult ternQueueCall(ternQueue_t queue, void (*function)(void *data), void *data);

ternResult ternMarkerCreate(ternMarker_t *marker, unsigned int flags);
ternResult ternMarkerDestroy(ternMarker_t marker);
ternResult ternMarkerPut(ternMarker_t marker, ternQueue_t queue);
ternResult ternMarkerAsk(ternMarker_t marker);
ternResult ternMarkerWait(ternMarker_t marker);
ternResult ternMarkerTime(float *milliseconds, ternMarker_t start, ternMarker_t end);

#ifdef __cplusplus
}
#endif

#endif
