// The user's kernel: each value becomes the mean of itself and its two neighbours.
extern "C" __global__ void smooth(const float *in, float *out, int count) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at > 0 && at < count - 1) out[at] = (in[at - 1] + in[at] + in[at + 1]) / 3;
}
