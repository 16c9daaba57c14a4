// A program of CUDA 11: its cudaGetDriverEntryPoint has three parameters.
#include <cstdio>

extern "C" int cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags);

int main() {
    void *known = nullptr, *unknown = &known;
    const int one = cudaGetDriverEntryPoint("cuMemAlloc", &known, 0);
    const int other = cudaGetDriverEntryPoint("cuNothing", &unknown, 0);
    std::printf("%d %s, %d %s\n", one, known ? "found" : "none", other, unknown ? "found" : "none");
}
