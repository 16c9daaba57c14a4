// Kernels for a code object of AMD's, as clang alone makes it: no header of HIP is needed.
#define __global__ __attribute__((global))
struct Pair { int first; float second; };
__global__ void scale(float *values, float by, int count, const unsigned *, Pair, long long,
                      unsigned char, double) {
    values[0] = by * count;
}
extern "C" __global__ void bare(float *values, float by, Pair *, Pair pair) { values[0] = by; }
extern "C" __global__ void none() {}
