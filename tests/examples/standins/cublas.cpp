// What conjugate_gradient.py needs of cuBLAS, on the host's memory.
extern "C" {

int cublasGetProperty(int, int *value) { return *value = 13, 0; }
unsigned long cublasGetCudartVersion() { return 13000; }
const char *cublasGetStatusName(int) { return "a status"; }
int cublasCreate_v2(void **out) {
    static int handle;
    return *out = &handle, 0;
}
int cublasDestroy_v2(void *) { return 0; }

int cublasSdot_v2(void *, int n, const float *x, int, const float *y, int, float *result) {
    wait_for_devices();
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += double(x[i]) * y[i];
    return *result = float(sum), 0;
}
int cublasSaxpy_v2(void *, int n, const float *alpha, const float *x, int, float *y, int) {
    wait_for_devices();
    for (int i = 0; i < n; ++i) y[i] += *alpha * x[i];
    return 0;
}
int cublasSscal_v2(void *, int n, const float *alpha, float *x, int) {
    wait_for_devices();
    for (int i = 0; i < n; ++i) x[i] *= *alpha;
    return 0;
}
}
