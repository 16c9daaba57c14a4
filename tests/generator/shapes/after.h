/* The same runtime one release later: everything has another type, and there is every C shape. */
#ifndef CUDA_AFTER_H
#define CUDA_AFTER_H
#ifdef __cplusplus
extern "C" {
#define DEFAULT(value) = value
#else
#define DEFAULT(value)
#endif

typedef enum cudaError { cudaSuccess = 0, cudaErrorRenamed = 7, cudaErrorNew = 11 } cudaError_t;
enum cudaKind { cudaKindNone = 0, cudaKindShort = 1, cudaKindInt = 2, cudaKindLong = 3 };
enum cudaBecomesType { cudaBecomesTypeA = 1, cudaBecomesEnumerator = 6 };
enum cudaOther { cudaOtherA = 0, cudaSortA = 4, cudaSortB = 5 };
typedef enum cudaOther cudaSort; /* was an enum of its own */
#define cudaLimit 50

typedef struct cudaStream_st *cudaStream_t;
typedef unsigned long long cudaThing_t; /* was a handle */
typedef unsigned long long cudaId;      /* was an unsigned int */
typedef void (*cudaCall_t)(void *data, int code);
typedef void (*cudaNewCall_t)(int code, void *data);
typedef struct cudaNewThing_st *cudaNewThing_t;
typedef unsigned int cudaNewId;
typedef void *cudaNewAddress_t;

struct cudaPlace { int kind; int id; long more[4]; };
struct cudaHolder { struct cudaPlace place; cudaId id; const long *values; int number; };
struct cudaOtherStruct { long x[9]; };
typedef struct cudaOtherStruct cudaBecomesAlias; /* was a struct of its own */
struct cudaCopy { enum cudaKind kind; void *start; unsigned long n; };
struct cudaNewStruct { struct cudaPlace place; cudaNewCall_t call; void *data; int *items; int numItems; };
union cudaNewUnion { int i; float f; struct cudaPlace place; };

cudaError_t cudaGetId(cudaId *id);
cudaError_t cudaTakeId(cudaId id);
cudaError_t cudaTakePlace(struct cudaPlace place);
cudaError_t cudaGetPlace(struct cudaPlace *place, int *places, int count);
cudaError_t cudaGetThing(cudaThing_t *thing);
cudaError_t cudaCall(cudaCall_t call, void *data);
cudaError_t cudaGetValue(void *value, enum cudaKind kind);
cudaError_t cudaWait(cudaStream_t stream DEFAULT((cudaStream_t)2), int flags DEFAULT(cudaLimit));
/** \param level [in] - the level */
cudaError_t cudaGetLevel(int *level);
cudaError_t cudaTakeSort(cudaSort sort);
cudaError_t cudaSwapped(cudaStream_t to, cudaStream_t from);
cudaError_t cudaRenamed(int second);
cudaError_t cudaOtherPlace(struct cudaOtherStruct *place_out);
cudaError_t cudaUseHolder(const struct cudaHolder *holder);
cudaError_t cudaUseCopy(const struct cudaCopy *copy);
cudaError_t cudaUseAlias(const cudaBecomesAlias *one);

/* New: scalars, arrays that look like them, structs, handles, callbacks, aliases, defaults. */
/** \param numArchs [out] - returned */
cudaError_t cudaGetNumArchs(int *numArchs);
/** \param archs [out] - returned, sorted */
cudaError_t cudaGetArchs(int *archs);
cudaError_t cudaDeviceGetShardSizes(unsigned long *shardSizes_out, int device);
/** \param clock [out] - returned, one per device */
cudaError_t cudaGetClock(float *clock);
cudaError_t cudaGetNewId(cudaNewId *id_out);
cudaError_t cudaGetNewAddress(cudaNewAddress_t *address_out);
cudaError_t cudaTakeNewAddress(cudaNewAddress_t address);
cudaError_t cudaNewMalloc(void **devPtr, unsigned long size);
/** \param location_out [out] - returned, one for each region */
cudaError_t cudaGetLocation(void *devPtr, unsigned long size, struct cudaPlace *location_out);
cudaError_t cudaGetPlaces(struct cudaPlace *places, int *numPlaces);
cudaError_t cudaGetNewStruct(struct cudaNewStruct *made_out);
cudaError_t cudaGetNewUnion(union cudaNewUnion *made_out);
cudaError_t cudaUseNewStruct(const struct cudaNewStruct *given);
cudaError_t cudaTakeNewStruct(struct cudaNewStruct given);
cudaError_t cudaUseMany(const int *values, unsigned long numValues);
cudaError_t cudaNewThingCreate(cudaNewThing_t *thing, cudaStream_t stream, int scale DEFAULT(2));
cudaError_t cudaNewThingDestroy(cudaNewThing_t thing);
cudaError_t cudaNewCall(cudaNewCall_t call, void *data);
cudaError_t cudaNewName(char *name, int len);
cudaError_t cudaNewTell(const char *name);
cudaError_t cudaNewArgs(void **args, const void *func);
cudaError_t cudaGetNewValue(void *value, enum cudaKind kind);
cudaError_t cudaGetMatrix(double *matrix, int rows, int columns);
cudaError_t cudaGetTwo(int *first, int *second);
cudaError_t cudaGetEverything(int ***deep);

#ifdef __cplusplus
}
#endif
#endif
