/* An RCCL of one rank without a device: what the tests need, as the header has it. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    char bytes[128];
} id;
typedef struct {
    size_t size;
    unsigned magic, version;
    int blocking, cluster, least, most;
    const char *net;
    int share;
} config;
enum { OK, WRONG = 4 };

static int comm, comms;

int ncclGetVersion(int *version) { return *version = 22105, OK; }
const char *ncclGetErrorString(int status) { return status == WRONG ? "invalid argument" : "no error"; }
int ncclGetUniqueId(id *made) { return memset(made, 7, sizeof *made), OK; }
int ncclCommInitRank(void **made, int ranks, id of, int rank) {
    if (of.bytes[0] != 7 || of.bytes[127] != 7 || rank >= ranks) return WRONG;
    return *made = &comm, ++comms, OK;
}
int ncclCommInitRankConfig(void **made, int ranks, id of, int rank, const config *how) {
    const int unset = INT32_MIN;
    if (how && (how->size != sizeof *how || how->magic != 0xcafebeef || how->version != 22105)) return WRONG;
    if (how && (how->blocking != 0 || how->cluster != unset || how->share != unset || how->net)) return WRONG;
    return ncclCommInitRank(made, ranks, of, rank);
}
int ncclCommInitAll(void **made, int devices, const int *list) {
    for (int at = 0; at < devices; ++at) made[at] = (char *)&comm + (list ? list[at] : at);
    return OK;
}
int ncclCommDestroy(void *one) { return one == &comm && comms-- > 0 ? OK : WRONG; }
int ncclCommCount(void *one, int *count) { return *count = comms, one ? OK : WRONG; }
/* Of one rank: the sum is what it sent. The stream's address is 1 << 20. */
int ncclAllReduce(const void *send, void *receive, size_t count, int type, int op, void *one, void *stream) {
    if (type != 7 || op != 0 || one != &comm || stream != (void *)(1 << 20)) return WRONG;
    return memcpy(receive, send, 4 * count), OK;
}
