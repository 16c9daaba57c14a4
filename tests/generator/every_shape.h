/* The shapes of test_shapes.py in one header, for the compiler. */
typedef struct gpuJob_st *gpuJob;
struct gpuSize { int width, height; };
enum gpuKind { GPU_KIND_A, GPU_KIND_B };

gpuStatus gpuStart(gpuJob *job, const struct gpuSize *size, enum gpuKind kind, const char *name);
gpuStatus gpuEnd(gpuJob job);
gpuStatus gpuFinish(gpuJob *job);
gpuStatus gpuGetSize(gpuJob job, struct gpuSize *size);
gpuStatus gpuGetName(gpuJob job, const char **name);

gpuStatus gpuGetNumJobs(int *n);
gpuStatus gpuGetJobs(gpuJob *jobs);
gpuStatus gpuGetSizes(struct gpuSize *sizes);
gpuStatus gpuGetLogSize(gpuJob job, unsigned long *log);
gpuStatus gpuGetLog(gpuJob job, void *log);
gpuStatus gpuGetText(gpuJob job, char *log);
gpuStatus gpuGetCode(gpuJob job, char *log);
gpuStatus gpuUseTexts(int n, const char **texts, const char *const *more);

gpuStatus gpuWatch(gpuJob job, int (*callback)(int at, void *data, void *more), void *payload);
gpuStatus gpuHear(gpuJob job, void (*callback)(enum gpuKind kind, gpuJob job, void *data), void *payload);
void gpuForget(void);
int gpuCount(int n);
