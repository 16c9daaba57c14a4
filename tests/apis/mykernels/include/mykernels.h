/* The header of somebody's own kernels, with what such headers are made of. */
#ifndef MYKERNELS_H
#define MYKERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#define MYK_ALIGNED(bytes) alignas(bytes)
#else
#define MYK_ALIGNED(bytes) _Alignas(bytes)
#endif

#define MYK_VERSION 102 /* 1.2 */

/* What most functions return. */
#define MYK_OK 0
#define MYK_PARTLY 1 /* done, but for the elements that are no numbers */
#define MYK_BAD_SIZE -1
#define MYK_BAD_PLAN -2
#define MYK_CUDA_FAILED -3

enum myk_order { MYK_ROWS, MYK_COLUMNS };

typedef struct myk_plan *myk_plan_t;
typedef unsigned long long myk_device_address;

typedef struct {
    float scale, offset;
    enum myk_order order;
} myk_parameters;

typedef struct {
    int count;
    MYK_ALIGNED(32) float values[8];
} myk_table;

typedef struct {
    struct cudaExtent shape;
    cudaStream_t stream;
    enum cudaMemcpyKind kind;
} myk_job;

/* The release of the library, and how large its arrays may be. */
unsigned int myk_version(void);
void myk_limits(size_t *largest, int *threads);
void myk_forget(void);

/* A plan works on the runtime's stream. */
int myk_plan_create(myk_plan_t *plan, struct cudaExtent shape, cudaStream_t stream);
int myk_plan_destroy(myk_plan_t plan);
int myk_plan_shape(myk_plan_t plan, struct cudaExtent *shape);
int myk_plan_stream(myk_plan_t plan, cudaStream_t *stream);

/* data[i] = scale * data[i] + offset, in the order of the stream. Call it by its plain name. */
#define myk_scale myk_scale_v2
int myk_scale_v2(myk_plan_t plan, float *data, size_t n, myk_parameters parameters);

/* to[i] = table[from[i] % count]; `from` and `to` are on the device. */
int myk_look_up(const myk_table *table, const int *from, float *to, size_t n, cudaStream_t stream);

int myk_copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream);
int myk_fill(myk_device_address to, size_t n, float value);

/* How a job is done, taken apart into two. */
int myk_split(const myk_job *job, myk_job *first, myk_job *second);
int myk_kind(const myk_job *job, enum cudaMemcpyKind *kind);

/* The next number of a sequence: the seed is read and written. */
int myk_next(unsigned int *seed, unsigned int *number);

/* The largest of n numbers on the host, and where it is. */
float myk_largest(const float *numbers, size_t n, size_t *at);

/* Calls `visit` for each block until it gives another number than 0, which is the last one's number. */
int myk_visit(size_t blocks, int (*visit)(size_t block, enum myk_order order, void *user), void *user);

#ifdef __cplusplus
}
#endif

#endif
