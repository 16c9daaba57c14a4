/* An AMD SMI with one socket and two processors, without a card: what the tests need, as the header has it.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { OK, INVALID = 1, OUT_OF_RESOURCES = 15, TOO_SHORT = 41 };
struct page {
    uint64_t address, size;
    int status;
};
struct vram {
    uint32_t total, used, reserved[2];
};

static int socket, processors[2];

int amdsmi_init(uint64_t flags) { return flags ? OK : INVALID; }
int amdsmi_status_code_to_string(unsigned status, const char **text) {
    return *text = status == 0xffffffff ? "unknown" : status ? "an error" : "success", OK;
}

static int give(uint32_t *count, void **places, uint32_t there, void *const *what) {
    for (uint32_t at = 0; places && at < *count && at < there; ++at) places[at] = what[at];
    return *count = there, OK;
}
int amdsmi_get_socket_handles(uint32_t *count, void **sockets) {
    return give(count, sockets, 1, (void *[]){&socket});
}
int amdsmi_get_processor_handles(void *of, uint32_t *count, void **handles) {
    return of != &socket ? INVALID : give(count, handles, 2, (void *[]){&processors[0], &processors[1]});
}
int amdsmi_get_processor_count_from_handles(void **handles, uint32_t *count, uint32_t *sockets,
                                            uint32_t *cores, uint32_t *cards) {
    *sockets = *cores = *cards = 0;
    for (uint32_t at = 0; at < *count; ++at) *cards += handles[at] == &processors[at];
    return OK;
}

int amdsmi_get_gpu_device_uuid(void *of, unsigned *length, char *uuid) {
    static const char text[] = "00000000-0000-1000-8000-000000000000";
    if (of != &processors[1] || *length < sizeof text) return INVALID;
    return memcpy(uuid, text, sizeof text), *length = sizeof text - 1, OK;
}
int amdsmi_get_gpu_vendor_name(void *of, char *name, size_t length) {
    (void)of;
    memset(name, 0, length);
    strncpy(name, "a vendor", length - 1);
    return length < sizeof "a vendor" ? TOO_SHORT : OK;
}
int amdsmi_get_gpu_vram_usage(void *of, struct vram *usage) {
    return usage->total = 64, usage->used = 2, of == &processors[0] ? OK : INVALID;
}
int amdsmi_get_gpu_bad_page_info(void *of, uint32_t *count, struct page *pages) {
    for (uint32_t at = 0; pages && at < *count && at < 3; ++at) pages[at].address = 4096 * at;
    return *count = 3, of ? OK : INVALID;
}
