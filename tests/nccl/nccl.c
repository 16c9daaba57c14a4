// A few functions of NCCL as nccl.h describes them, for one rank whose device is the host.
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SUCCESS = 0, INVALID_ARGUMENT = 4 };
typedef struct Comm *Comm;
typedef struct {
    char internal[128];
} Id;
typedef struct {
    size_t size;
    unsigned magic, version;
    int blocking, cluster, least, most;
    const char *net;
    int share, traffic;
    const char *name;
    int rest[15];
} Config;
typedef struct {
    int count, peer, signal, context;
} Wait;

static int comms;
static void *last_stream;

int ncclGetVersion(int *version) {
    *version = 23203;
    return SUCCESS;
}
const char *ncclGetErrorString(int status) { return status == INVALID_ARGUMENT ? "a wrong argument" : "other"; }
int ncclGetUniqueId(Id *id) {
    memset(id, 7, sizeof *id);
    return SUCCESS;
}
int ncclCommInitRank(Comm *comm, int ranks, Id id, int rank) {
    if (id.internal[127] != 7 || rank >= ranks) return INVALID_ARGUMENT;
    *comm = (Comm)(size_t)(0x1000 + ++comms);
    return SUCCESS;
}
// The defaults of the header's initializer, but for minCTAs and netName.
int ncclCommInitRankConfig(Comm *comm, int ranks, Id id, int rank, const Config *config) {
    if (!config) return ncclCommInitRank(comm, ranks, id, rank);
    if (config->size != sizeof(Config) || config->magic != 0xcafebeef || config->version != 23203) return 3;
    if (config->blocking != INT_MIN || config->most != INT_MIN || config->rest[14] != INT_MIN) return 3;
    if (config->least != 3 || strcmp(config->net, "Socket")) return INVALID_ARGUMENT;
    return ncclCommInitRank(comm, ranks, id, rank);
}
int ncclCommInitAll(Comm *all, int count, const int *devices) {
    for (int at = 0; at < count; ++at) all[at] = (Comm)(size_t)(0x2000 + (devices ? devices[at] : at));
    return SUCCESS;
}
int ncclCommDestroy(Comm comm) {
    (void)comm;
    --comms;
    return SUCCESS;
}
// How many communicators are left.
int ncclCommCount(Comm comm, int *count) {
    (void)comm;
    *count = comms;
    return SUCCESS;
}
int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, Comm comm, void *stream) {
    (void)comm;
    if (type != 7 || op != 0) return INVALID_ARGUMENT;
    memmove(to, from, count * sizeof(float));
    last_stream = stream;
    return SUCCESS;
}
// The stream of the last operation.
int ncclCommRegister(Comm comm, void *memory, size_t size, void **handle) {
    (void)comm, (void)memory, (void)size;
    *handle = last_stream;
    return SUCCESS;
}
int ncclWaitSignal(int count, const Wait *waits, Comm comm, void *stream) {
    (void)comm, (void)stream;
    for (int at = 0; at < count; ++at)
        if (waits[at].peer != at || waits[at].count != at + 1) return INVALID_ARGUMENT;
    return SUCCESS;
}
int ncclRedOpCreatePreMulSum(int *op, const void *scalar, int type, int residence, Comm comm) {
    float value;
    (void)comm;
    memcpy(&value, scalar, sizeof value);
    if (type != 7 || residence != 1 || value != 0.5F) return INVALID_ARGUMENT;
    *op = 5;
    return SUCCESS;
}
