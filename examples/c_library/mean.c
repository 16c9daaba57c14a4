/* A small C library: it makes values, and takes the mean of what came back. */
#include <stddef.h>

struct job {
    const float *values;
    size_t count;
    double mean;
};

void ramp(float *values, size_t count) {
    for (size_t at = 0; at < count; ++at) values[at] = (float)at / (float)count;
}

/* Has the signature of cudaHostFn_t, so that a stream can call it. */
void take_mean(void *given) {
    struct job *job = given;
    double sum = 0;
    for (size_t at = 0; at < job->count; ++at) sum += job->values[at];
    job->mean = sum / (double)job->count;
}
