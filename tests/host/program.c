// A plain C program on NVIDIA's header: runs on whatever library it is linked to.
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(cudaError_t status, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "line %d: %s: %s\n", line, cudaGetErrorName(status), cudaGetErrorString(status));
    exit(1);
}
#define CHECK(call) check((call), __LINE__)
#define EXPECT(condition)                                                                                        \
    if (!(condition)) {                                                                                          \
        fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition);                                          \
        exit(1);                                                                                                 \
    }

static void CUDART_CB note(void *data) { *(int *)data += 1; }

int main(void) {
    int count = 0, version = 0, called = 0, value = 0;
    float milliseconds = -1;
    struct cudaDeviceProp properties;
    struct cudaPointerAttributes attributes;
    struct cudaMemcpy3DParms copy = {0};
    struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    cudaStream_t stream;
    cudaEvent_t begin, end;
    cudaMemPool_t pool;
    char *device, *queued, sent[4096], back[4096];

    CHECK(cudaGetDeviceCount(&count));
    EXPECT(count > 0);
    CHECK(cudaRuntimeGetVersion(&version));
    EXPECT(version / 1000 == CUDART_VERSION / 1000);
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(value == properties.multiProcessorCount && properties.warpSize > 0);
    CHECK(cudaMalloc((void **)&device, sizeof sent));
    for (int index = 0; index < 4096; ++index)
        sent[index] = (char)(index * 7);
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin, stream));
    CHECK(cudaMemcpyAsync(device, sent, sizeof sent, cudaMemcpyHostToDevice, stream));
    CHECK(cudaLaunchHostFunc(stream, note, &called));
    CHECK(cudaMallocAsync((void **)&queued, sizeof sent, stream));
    copy.srcPtr = (struct cudaPitchedPtr){device, 64, 64, 8};
    copy.dstPtr = (struct cudaPitchedPtr){queued, 64, 64, 8};
    copy.extent = (struct cudaExtent){64, 8, 8};
    copy.kind = cudaMemcpyDeviceToDevice;
    CHECK(cudaMemcpy3DAsync(&copy, stream));
    CHECK(cudaMemcpyAsync(back, queued, sizeof back, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(queued, stream));
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    EXPECT(called == 1 && milliseconds >= 0 && !memcmp(sent, back, sizeof sent));
    CHECK(cudaPointerGetAttributes(&attributes, device));
    EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == device);
    CHECK(cudaMemGetDefaultMemPool(&pool, &here, cudaMemAllocationTypePinned));
    EXPECT(cudaMemset(device, 0, 1 << 30) == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    printf("%s\n", properties.name);
    return 0;
}
