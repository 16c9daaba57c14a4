// A few functions of NVML as nvml.h describes them: two devices, a few processes. No device is needed.
#include <stddef.h>
#include <string.h>

enum { SUCCESS = 0, INVALID_ARGUMENT = 2, INSUFFICIENT_SIZE = 7, TIMEOUT = 10, VERSION_MISMATCH = 25 };
#define VERSION(type, number) (unsigned)(sizeof(type) | ((number) << 24U))

typedef struct Device *Device;
typedef struct EventSet *EventSet;
typedef struct {
    unsigned version;
    unsigned long long total, reserved, free, used;
} Memory;
typedef struct {
    unsigned pid;
    unsigned long long used;
    unsigned gpu_instance, compute_instance;
} Process;
typedef struct {
    unsigned pid;
    unsigned long long used;
    unsigned gpu_instance, compute_instance;
    unsigned long long used_protected;
} Detail;
typedef struct {
    unsigned version, mode, count;
    Detail *details;
} Details;
typedef struct {
    unsigned id, scope;
    long long timestamp, latency;
    int value_type, status;
    union {
        double real;
        unsigned number;
        unsigned long long large;
    } value;
} Field;
typedef struct {
    Device device;
    unsigned long long type, data;
    unsigned gpu_instance, compute_instance;
} Event;

static unsigned sets;

int nvmlInit_v2(void) { return SUCCESS; }
int nvmlShutdown(void) { return SUCCESS; }
int nvmlSystemGetCudaDriverVersion(int *version) {
    *version = 13050;
    return SUCCESS;
}
const char *nvmlErrorString(int status) { return status == TIMEOUT ? "it took too long" : "something"; }

int nvmlDeviceGetCount_v2(unsigned *count) {
    *count = 2;
    return SUCCESS;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device *device) {
    if (index > 1) return INVALID_ARGUMENT;
    *device = (Device)(size_t)(0x1000 + index);
    return SUCCESS;
}
int nvmlDeviceGetName(Device device, char *name, unsigned length) {
    const char *text = device == (Device)0x1000 ? "Device 0" : "Device 1";
    if (length <= strlen(text)) return INSUFFICIENT_SIZE;
    strcpy(name, text);
    return SUCCESS;
}
int nvmlVgpuTypeGetName(unsigned type, char *name, unsigned *size) {
    (void)type;
    if (*size < 7) {
        *size = 7;
        return INSUFFICIENT_SIZE;
    }
    memcpy(name, "TYPE-8", 7);
    *size = 7;
    return SUCCESS;
}

int nvmlDeviceGetMemoryInfo_v2(Device device, Memory *memory) {
    (void)device;
    if (memory->version != VERSION(Memory, 2)) return VERSION_MISMATCH;
    memory->total = 80;
    memory->reserved = 1;
    memory->free = 69;
    memory->used = 10;
    return SUCCESS;
}

int nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned *count, Process *processes) {
    unsigned room = *count;
    (void)device;
    *count = 3;
    if (room < 3) return INSUFFICIENT_SIZE;
    for (unsigned at = 0; at < 3; ++at) processes[at] = (Process){100 + at, at << 20, ~0U, ~0U};
    return SUCCESS;
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(Device device, unsigned *count, Process *processes) {
    (void)device, (void)processes;
    *count = 0;
    return SUCCESS;
}
int nvmlDeviceGetRunningProcessDetailList(Device device, Details *list) {
    unsigned room = list->count;
    (void)device;
    if (list->version != VERSION(Details, 1)) return VERSION_MISMATCH;
    list->count = 2;
    if (room < 2) return INSUFFICIENT_SIZE;
    for (unsigned at = 0; at < 2; ++at) list->details[at].pid = list->mode * 10 + at;
    return SUCCESS;
}
int nvmlDeviceGetFieldValues(Device device, int count, Field *fields) {
    (void)device;
    for (int at = 0; at < count; ++at) {
        fields[at].status = fields[at].id > 300 ? INVALID_ARGUMENT : SUCCESS;
        fields[at].value.number = fields[at].id + 1;
    }
    return SUCCESS;
}
int nvmlDeviceGetRetiredPages_v2(Device device, int cause, unsigned *count, unsigned long long *addresses,
                                 unsigned long long *timestamps) {
    unsigned room = *count;
    (void)device;
    *count = 2;
    if (room < 2) return INSUFFICIENT_SIZE;
    for (unsigned at = 0; at < 2; ++at) {
        addresses[at] = 0x1000 * (at + cause);
        timestamps[at] = 7 + at;
    }
    return SUCCESS;
}
int nvmlDeviceGetSupportedPerformanceStates(Device device, int *states, unsigned size) {
    (void)device;
    for (unsigned at = 0; at < size / sizeof(int); ++at) states[at] = at < 2 ? (int)at * 8 : 32;
    return SUCCESS;
}
int nvmlDeviceGetCpuAffinity(Device device, unsigned size, unsigned long *set) {
    (void)device;
    for (unsigned at = 0; at < size; ++at) set[at] = at ? 0 : 0xff;
    return SUCCESS;
}

int nvmlEventSetCreate(EventSet *set) {
    *set = (EventSet)(size_t)(0x2000 + ++sets);
    return SUCCESS;
}
int nvmlEventSetFree(EventSet set) {
    (void)set;
    --sets;
    return SUCCESS;
}
int nvmlEventSetWait_v2(EventSet set, Event *event, unsigned timeout) {
    (void)set;
    if (timeout < 5) return TIMEOUT;
    *event = (Event){(Device)0x1001, 8, 79, ~0U, ~0U};
    return SUCCESS;
}
// What the sets count: how many are left.
int nvmlUnitGetCount(unsigned *count) {
    *count = sets;
    return SUCCESS;
}
