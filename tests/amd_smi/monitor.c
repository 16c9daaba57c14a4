/* An AMD SMI with a socket of two GPUs and another of one, for the names of NVML. Structs are those of
 * release 24.5 or, with NEWER, of 27.1. The second GPU has a sensor only for its hottest place, and the third
 * one knows nothing.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { OK, INVALID = 1, NOT_SUPPORTED = 2, NO_PERMISSION = 10, NOT_INIT = 32 };
#ifdef NEWER
enum { NAME = 256, LABEL = 256, WIDE = 256 };
typedef uint64_t Voltage;
#else
enum { NAME = 64, LABEL = 32, WIDE = 128 };
typedef uint32_t Voltage;
#endif

struct asic {
    char market_name[NAME];
    uint32_t vendor_id;
    char vendor_name[NAME];
    uint32_t subvendor_id;
    uint64_t device_id;
#ifdef NEWER
    uint32_t rev_id;
    char serial[256];
    uint32_t oam_id, units;
    uint64_t graphics_version;
    uint32_t subsystem_id;
#endif
};
struct board {
    char model_number[LABEL], product_serial[LABEL], fru_id[LABEL], product_name[WIDE], manufacturer[LABEL];
};
struct vbios {
    char name[NAME], build_date[LABEL], part_number[NAME], version[LABEL];
};
struct driver {
    char version[NAME], date[NAME], name[NAME];
};
struct version {
#ifndef NEWER
    uint32_t year;
#endif
    uint32_t major, minor, release;
    const char *build;
};
struct usage {
    uint32_t gfx, umc, mm;
};
struct power {
#ifdef NEWER
    uint64_t socket;
#endif
    uint32_t current, average;
    Voltage gfx, soc, memory;
    uint32_t limit;
};
struct cap {
    uint64_t now, by_default, dpm, least, most;
};
struct clock {
    uint32_t now, least, most;
};
struct pcie {
    uint16_t most_lanes;
    uint32_t most_speed, version, slot;
    uint64_t rest[10];
    uint16_t lanes;
    uint32_t speed;
};
struct process {
    char name[LABEL];
    uint32_t pid;
    uint64_t memory, engines[8], gtt, cpu, vram, rest[5];
    char container[LABEL];
#ifdef NEWER
    uint32_t units, evicted;
    uint64_t sdma;
    uint32_t more[8];
#else
    uint32_t more[4];
#endif
};

static int sockets[2], gpus[3], ready;
static uint64_t cap = 250000000;

static int number(const void *gpu) { return (int)((const int *)gpu - gpus); }
#define NEEDS(gpu)                                                                                           \
    if (!ready) return NOT_INIT;                                                                             \
    if (number(gpu) < 0 || number(gpu) > 2) return INVALID;

int amdsmi_init(uint64_t flags) { return flags == 2 ? (ready = 1, OK) : INVALID; }
int amdsmi_shut_down(void) { return ready = 0, OK; }
int amdsmi_status_code_to_string(unsigned status, const char **text) {
    return *text = status == NOT_SUPPORTED ? "AMD's words" : "others", OK;
}
int amdsmi_get_lib_version(struct version *version) {
    memset(version, 0, sizeof *version);
#ifdef NEWER
    return *version = (struct version){27, 1, 0, "27.1.0"}, OK;
#else
    return *version = (struct version){24, 5, 2, 0, "24.5.2.0"}, OK;
#endif
}
int amdsmi_get_socket_handles(uint32_t *count, void **handles) {
    if (!ready) return NOT_INIT;
    for (uint32_t at = 0; handles && at < *count && at < 2; ++at) handles[at] = &sockets[at];
    return *count = 2, OK;
}
int amdsmi_get_processor_handles(void *socket, uint32_t *count, void **handles) {
    uint32_t first = socket == sockets ? 0 : 2, there = socket == sockets ? 2 : 1;
    for (uint32_t at = 0; handles && at < *count && at < there; ++at) handles[at] = &gpus[first + at];
    return *count = there, OK;
}

int amdsmi_get_gpu_asic_info(void *gpu, struct asic *asic) {
    NEEDS(gpu)
    strcpy(asic->market_name, number(gpu) == 2 ? "" : number(gpu) ? "Another GPU" : "A GPU");
    asic->vendor_id = 0x1002, asic->device_id = 0x74a1, asic->subvendor_id = 0x1458;
#ifdef NEWER
    asic->subsystem_id = 0x74a5;
#endif
    return OK;
}
int amdsmi_get_gpu_board_info(void *gpu, struct board *board) {
    NEEDS(gpu)
    return strcpy(board->model_number, "102-D1"), strcpy(board->product_serial, "S1"), OK;
}
int amdsmi_get_gpu_vbios_info(void *gpu, struct vbios *vbios) {
    NEEDS(gpu)
    return strcpy(vbios->version, "022.040"), OK;
}
int amdsmi_get_gpu_driver_info(void *gpu, struct driver *driver) {
    NEEDS(gpu)
    return strcpy(driver->version, "6.8.5"), OK;
}
int amdsmi_get_gpu_device_uuid(void *gpu, unsigned *length, char *uuid) {
    NEEDS(gpu)
    if (*length < 37) return INVALID;
    strcpy(uuid, "00000000-0000-1000-8000-000000000000");
    return uuid[0] += (char)number(gpu), *length = 36, OK;
}
int amdsmi_get_gpu_device_bdf(void *gpu, uint64_t *bdf) {
    NEEDS(gpu)
    return *bdf = 1 << 16 | (uint64_t)(0xc0 + number(gpu)) << 8 | 2 << 3, OK;
}

int amdsmi_get_gpu_activity(void *gpu, struct usage *usage) {
    NEEDS(gpu)
    return *usage = number(gpu) == 2 ? (struct usage){0xffff, 0xffff, 0xffff} : (struct usage){77, 21, 5}, OK;
}
int amdsmi_get_gpu_memory_total(void *gpu, int kind, uint64_t *bytes) {
    NEEDS(gpu)
    return *bytes = kind == 1 ? 256ULL << 20 : 64ULL << 30, OK;
}
int amdsmi_get_gpu_memory_usage(void *gpu, int kind, uint64_t *bytes) {
    NEEDS(gpu)
    return *bytes = kind == 1 ? 1ULL << 20 : 3ULL << 30, OK;
}
int amdsmi_get_gpu_process_list(void *gpu, uint32_t *count, struct process *list) {
    NEEDS(gpu)
    for (uint32_t at = 0; list && at < *count && at < 2; ++at) {
        memset(&list[at], 0, sizeof *list);
        strcpy(list[at].name, "a program"), list[at].pid = 100 + at, list[at].vram = (1ULL + at) << 20,
                                            list[at].memory = 7;
    }
    return *count = 2, OK;
}

int amdsmi_get_temp_metric(void *gpu, int sensor, int metric, int64_t *degrees) {
    NEEDS(gpu)
    if (number(gpu) == 2 || (number(gpu) == 1 && sensor == 0)) return NOT_SUPPORTED;
    return *degrees = 10 * sensor + (metric == 0 ? 41 : metric == 5 ? 100 : metric == 7 ? 105 : 0), OK;
}
int amdsmi_get_gpu_fan_speed(void *gpu, uint32_t fan, int64_t *speed) {
    NEEDS(gpu)
    return *speed = 51 + 51 * fan, OK;
}
int amdsmi_get_gpu_fan_speed_max(void *gpu, uint32_t fan, uint64_t *speed) {
    NEEDS(gpu)
    return *speed = number(gpu) == 2 ? 0 : 255, (void)fan, OK;
}
int amdsmi_get_power_info(void *gpu, struct power *power) {
    NEEDS(gpu)
    uint32_t none = number(gpu) ? 0xffff : 0xffffffff;
    power->current = number(gpu) == 1 ? 140 : none;
    power->average = number(gpu) == 0 ? 92 : none;
    return OK;
}
int amdsmi_get_power_cap_info(void *gpu, uint32_t sensor, struct cap *found) {
    NEEDS(gpu)
    struct cap all = {cap, 300000000, 2100, 0, 330000000}, none = {0};
    return *found = number(gpu) == 2 ? none : all, sensor ? INVALID : OK;
}
int amdsmi_set_power_cap(void *gpu, uint32_t sensor, uint64_t microwatts) {
    NEEDS(gpu)
    return number(gpu) || sensor ? NO_PERMISSION : (cap = microwatts, OK);
}
int amdsmi_get_energy_count(void *gpu, uint64_t *energy, float *resolution, uint64_t *nanoseconds) {
    NEEDS(gpu)
    return *energy = 2000000, *resolution = 15.25f, *nanoseconds = 1, OK;
}
int amdsmi_get_clock_info(void *gpu, int kind, struct clock *clock) {
    NEEDS(gpu)
    return *clock = (struct clock){1000 + 100 * kind, 500, 2000 + 100 * kind}, OK;
}
int amdsmi_get_pcie_info(void *gpu, struct pcie *pcie) {
    NEEDS(gpu)
    pcie->most_lanes = 16, pcie->most_speed = 32000, pcie->lanes = 8;
    return pcie->speed = number(gpu) == 2 ? 0 : 16000, OK;
}
int amdsmi_get_gpu_pci_replay_counter(void *gpu, uint64_t *count) {
    NEEDS(gpu)
    return *count = 3, OK;
}
#ifdef NEWER
struct vram {
    int type;
    char vendor[256];
    uint64_t size;
    uint32_t bit_width;
};
int amdsmi_get_gpu_vram_info(void *gpu, struct vram *vram) {
    NEEDS(gpu)
    return vram->bit_width = 4096, OK;
}
#else
int amdsmi_get_gpu_vram_info(void *gpu, uint64_t *vram) {
    NEEDS(gpu)
    return vram[1] = 65536, OK;
}
#endif
