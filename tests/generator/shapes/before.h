/* A small runtime, as it is in a release that somebody has read. */
#ifndef CUDA_BEFORE_H
#define CUDA_BEFORE_H
#ifdef __cplusplus
extern "C" {
#define DEFAULT(value) = value
#else
#define DEFAULT(value)
#endif

typedef enum cudaError { cudaSuccess = 0, cudaErrorOld = 7, cudaErrorGone = 9 } cudaError_t;
enum cudaKind { cudaKindNone = 0, cudaKindInt = 1, cudaKindLong = 2 };
enum cudaSort { cudaSortA = 0, cudaSortB = 1 };
#define cudaLimit 5
#define cudaBecomesEnumerator 6
#define cudaBecomesType 8

typedef struct cudaStream_st *cudaStream_t;
typedef struct cudaThing_st *cudaThing_t;
typedef unsigned int cudaId;
typedef void (*cudaCall_t)(void *data);

struct cudaPlace { int kind; int id; };
struct cudaHolder { struct cudaPlace place; cudaId id; const int *values; int count; };
struct cudaBecomesAlias { int x; };
struct cudaCopy { enum cudaKind kind; void *start; unsigned long n; };

cudaError_t cudaGetId(cudaId *id);
cudaError_t cudaTakeId(cudaId id);
cudaError_t cudaTakePlace(struct cudaPlace place);
cudaError_t cudaGetPlace(struct cudaPlace *place);
cudaError_t cudaGetThing(cudaThing_t *thing);
cudaError_t cudaCall(cudaCall_t call, void *data);
cudaError_t cudaGetValue(void *value, enum cudaKind kind);
cudaError_t cudaWait(cudaStream_t stream DEFAULT(0), int flags DEFAULT(cudaLimit));
cudaError_t cudaRemoved(int n);
/** \param level [out] - the level */
cudaError_t cudaGetLevel(int *level);
cudaError_t cudaTakeSort(enum cudaSort sort);
cudaError_t cudaSwapped(cudaStream_t from, cudaStream_t to);
cudaError_t cudaRenamed(int first);
cudaError_t cudaOtherPlace(struct cudaPlace *place_out);
cudaError_t cudaUseHolder(const struct cudaHolder *holder);
cudaError_t cudaUseCopy(const struct cudaCopy *copy);
cudaError_t cudaUseAlias(const struct cudaBecomesAlias *one);

#ifdef __cplusplus
}
#endif
#endif
