// What gpu_top.py needs of AMD SMI: one socket with two devices, which have no sensor for heat.
#include <cstdint>
#include <cstring>

struct Asic {
    char market_name[256];
};
struct Usage {
    std::uint32_t gfx, umc, mm;
};

namespace {
int socket, devices[2];
} // namespace

extern "C" {

int amdsmi_init(std::uint64_t) { return 0; }
int amdsmi_shut_down() { return 0; }
int amdsmi_status_code_to_string(unsigned, const char **text) { return *text = "an error", 0; }
int amdsmi_get_socket_handles(std::uint32_t *count, void **sockets) {
    if (sockets) *sockets = &socket;
    return *count = 1, 0;
}
int amdsmi_get_processor_handles(void *, std::uint32_t *count, void **processors) {
    if (processors) processors[0] = devices, processors[1] = devices + 1;
    return *count = 2, 0;
}
int amdsmi_get_gpu_asic_info(void *, Asic *asic) { return std::strcpy(asic->market_name, "A stand-in GPU"), 0; }
int amdsmi_get_gpu_activity(void *, Usage *usage) { return usage->gfx = 77, 0; }
int amdsmi_get_gpu_memory_total(void *, int, std::uint64_t *bytes) { return *bytes = 64ULL << 30, 0; }
int amdsmi_get_gpu_memory_usage(void *, int, std::uint64_t *bytes) { return *bytes = 1ULL << 30, 0; }
int amdsmi_get_power_info(void *, std::uint32_t *power) { return 2; } // not supported
int amdsmi_get_temp_metric(void *, int, int, std::int64_t *) { return 2; }
}
