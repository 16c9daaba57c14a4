/* A Level Zero without a device: what the tests need, as the specification has it. */
#include <stdint.h>
#include <string.h>

typedef uint32_t result;
enum { OK = 0, NOT_READY = 1, BUILD_FAILURE = 0x70000004, WRONG = 0x78000004 };
enum { DEVICE_PROPERTIES = 0x3, MEMORY_PROPERTIES = 0x7, CONTEXT_DESC = 0xd, MODULE_DESC = 0x1b };

struct head {
    uint32_t stype;
    void *next;
};
struct memory { /* the beginning of ze_device_memory_properties_t */
    struct head head;
    uint32_t flags, clock, width;
    uint64_t bytes;
    char name[256];
};
struct module {
    struct head head;
    uint32_t format;
    size_t size;
    const uint8_t *code;
    const char *flags;
};

static int driver, device, context, module, log_, contexts;

result zeInit(uint32_t flags) { return flags ? WRONG : OK; }

static result one(uint32_t *count, void **places, void *it) {
    if (places && *count) places[0] = it;
    *count = 1;
    return OK;
}
result zeDriverGet(uint32_t *count, void **drivers) { return one(count, drivers, &driver); }
result zeDeviceGet(void *of, uint32_t *count, void **devices) {
    return of == &driver ? one(count, devices, &device) : WRONG;
}

/* The type is at byte 16, behind stype and pNext. */
result zeDeviceGetProperties(void *of, void *properties) {
    if (of != &device || ((struct head *)properties)->stype != DEVICE_PROPERTIES) return WRONG;
    memcpy((char *)properties + 16, &(uint32_t){1}, 4);
    return OK;
}

result zeDeviceGetMemoryProperties(void *of, uint32_t *count, struct memory *properties) {
    const uint32_t most = *count;
    *count = 2;
    if (!properties) return OK;
    for (uint32_t at = 0; at < most && at < 2; ++at) {
        if (properties[at].head.stype != MEMORY_PROPERTIES) return WRONG;
        properties[at].bytes = 1000 + at;
    }
    return of == &device ? OK : WRONG;
}

result zeContextCreate(void *of, const struct head *desc, void **made) {
    if (of != &driver || desc->stype != CONTEXT_DESC) return WRONG;
    ++contexts;
    *made = &context;
    return OK;
}
result zeContextDestroy(void *one) { return one == &context && contexts-- > 0 ? OK : WRONG; }
/* The count of contexts, in place of something that nobody asks for. */
result zeDriverGetApiVersion(void *of, uint32_t *version) {
    *version = (uint32_t)contexts;
    return of ? OK : WRONG;
}

result zeModuleCreate(void *in, void *on, const struct module *desc, void **made, void **log) {
    if (in != &context || on != &device || desc->head.stype != MODULE_DESC) return WRONG;
    if (log) *log = &log_;
    *made = &module;
    return desc->size == 4 && !memcmp(desc->code, "good", 4) ? OK : BUILD_FAILURE;
}
result zeModuleBuildLogGetString(void *of, size_t *size, char *text) {
    static const char said[] = "not good";
    if (text && *size >= sizeof said) memcpy(text, said, sizeof said);
    *size = sizeof said;
    return of == &log_ ? OK : WRONG;
}
result zeModuleBuildLogDestroy(void *of) { return of == &log_ ? OK : WRONG; }

result zeEventQueryStatus(void *event) { return event ? OK : NOT_READY; }

result zesPowerGetLimits(void *of, int32_t *sustained, int32_t *burst, int32_t *peak) {
    (void)of;
    sustained[1] = 100, burst[1] = 200, peak[0] = 300;
    return OK;
}
