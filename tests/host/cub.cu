// A program for nvcc: CUB's algorithms over a device, and over a block, compared with the C++ library's.
#include <algorithm>
#include <cstdio>
#include <cub/cub.cuh>
#include <numeric>
#include <random>
#include <vector>

constexpr int threads = 128, each = 4;

__global__ void sort_block(const int *in, int *out) {
    using Sort = cub::BlockRadixSort<int, threads, each>;
    using Reduce = cub::BlockReduce<int, threads>;
    __shared__ union {
        typename Sort::TempStorage sort;
        typename Reduce::TempStorage reduce;
    } room;
    int values[each];
    for (int k = 0; k < each; ++k) values[k] = in[threadIdx.x * each + k];
    Sort(room.sort).Sort(values);
    for (int k = 0; k < each; ++k) out[threadIdx.x * each + k] = values[k];
    __syncthreads();
    const int sum = Reduce(room.reduce).Sum(values);
    if (threadIdx.x == 0) out[threads * each] = sum;
}

// Asks how much room an algorithm wants, then runs it.
template <class Run> int with_room(Run run) {
    void *room = nullptr;
    std::size_t bytes = 0;
    if (const int code = run(room, bytes)) return code;
    if (const int code = cudaMalloc(&room, bytes)) return code;
    const int code = run(room, bytes);
    return code ? code : cudaFree(room);
}

int main() {
    constexpr int count = 20000;
    std::vector<int> in(count), out(count), wanted(count);
    std::mt19937 random(1);
    for (int &one : in) one = static_cast<int>(random() % 2000) - 1000;
    int *from, *to;
    cudaMalloc(&from, count * sizeof(int));
    cudaMalloc(&to, count * sizeof(int));
    cudaMemcpy(from, in.data(), count * sizeof(int), cudaMemcpyHostToDevice);
    const auto same = [&](std::size_t number) {
        const int code = cudaMemcpy(out.data(), to, number * sizeof(int), cudaMemcpyDeviceToHost);
        return code ? code : std::equal(wanted.begin(), wanted.begin() + number, out.begin()) ? 0 : -1;
    };

    int code = with_room(
        [&](void *room, std::size_t &bytes) { return cub::DeviceReduce::Sum(room, bytes, from, to, count); });
    wanted[0] = std::accumulate(in.begin(), in.end(), 0);
    std::printf("sum %d %d\n", code, same(1));

    code = with_room([&](void *room, std::size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(room, bytes, from, to, count);
    });
    std::partial_sum(in.begin(), in.end(), wanted.begin());
    std::printf("scan %d %d\n", code, same(count));

    code = with_room([&](void *room, std::size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(room, bytes, from, to, count);
    });
    wanted = in;
    std::sort(wanted.begin(), wanted.end());
    std::printf("sort %d %d\n", code, same(count));

    sort_block<<<1, threads>>>(from, to);
    code = cudaGetLastError();
    wanted.assign(in.begin(), in.begin() + threads * each);
    std::sort(wanted.begin(), wanted.end());
    wanted.push_back(std::accumulate(wanted.begin(), wanted.end(), 0));
    std::printf("block %d %d\n", code, same(wanted.size()));
}
