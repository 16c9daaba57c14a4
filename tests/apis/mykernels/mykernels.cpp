// The library behind mykernels.h: its "kernels" run on the host runtime's streams.
#include "mykernels.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <new>

struct myk_plan {
    cudaExtent shape;
    cudaStream_t stream;
};

namespace {

// Queues what a kernel would do.
template <class Work> int launch(cudaStream_t stream, Work work) {
    auto held = std::make_unique<Work>(work);
    const auto run = [](void *data) {
        const std::unique_ptr<Work> mine(static_cast<Work *>(data));
        (*mine)();
    };
    if (cudaLaunchHostFunc(stream, run, held.get())) return MYK_CUDA_FAILED;
    held.release();
    return MYK_OK;
}

} // namespace

unsigned int myk_version() { return MYK_VERSION; }

void myk_limits(size_t *largest, int *threads) {
    *largest = size_t{1} << 20;
    *threads = 256;
}

void myk_forget() {}

int myk_plan_create(myk_plan_t *plan, cudaExtent shape, cudaStream_t stream) {
    if (!shape.width || !shape.height || !shape.depth) return MYK_BAD_SIZE;
    *plan = new (std::nothrow) myk_plan{shape, stream};
    return *plan ? MYK_OK : MYK_BAD_PLAN;
}

int myk_plan_destroy(myk_plan_t plan) {
    if (!plan) return MYK_BAD_PLAN;
    delete plan;
    return MYK_OK;
}

int myk_plan_shape(myk_plan_t plan, cudaExtent *shape) {
    if (!plan) return MYK_BAD_PLAN;
    *shape = plan->shape;
    return MYK_OK;
}

int myk_plan_stream(myk_plan_t plan, cudaStream_t *stream) {
    if (!plan) return MYK_BAD_PLAN;
    *stream = plan->stream;
    return MYK_OK;
}

int myk_scale_v2(myk_plan_t plan, float *data, size_t n, myk_parameters parameters) {
    if (!plan) return MYK_BAD_PLAN;
    if (n > plan->shape.width * plan->shape.height * plan->shape.depth) return MYK_BAD_SIZE;
    return launch(plan->stream, [=] {
        for (size_t at = 0; at < n; ++at) data[at] = parameters.scale * data[at] + parameters.offset;
    });
}

int myk_look_up(const myk_table *table, const int *from, float *to, size_t n, cudaStream_t stream) {
    if (reinterpret_cast<std::uintptr_t>(table) % alignof(myk_table)) return MYK_BAD_PLAN;
    if (table->count < 1 || table->count > 8) return MYK_BAD_SIZE;
    return launch(stream, [=, held = *table] {
        for (size_t at = 0; at < n; ++at) to[at] = held.values[from[at] % held.count];
    });
}

int myk_copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, bytes, kind, stream) ? MYK_CUDA_FAILED : MYK_OK;
}

int myk_fill(myk_device_address to, size_t n, float value) {
    auto *numbers = reinterpret_cast<float *>(static_cast<std::uintptr_t>(to));
    for (size_t at = 0; at < n; ++at) numbers[at] = value;
    return std::isnan(value) ? MYK_PARTLY : MYK_OK;
}

int myk_split(const myk_job *job, myk_job *first, myk_job *second) {
    *first = *second = *job;
    first->shape.depth = job->shape.depth / 2;
    second->shape.depth = job->shape.depth - first->shape.depth;
    return MYK_OK;
}

int myk_kind(const myk_job *job, cudaMemcpyKind *kind) {
    *kind = job->kind;
    return MYK_OK;
}

int myk_next(unsigned int *seed, unsigned int *number) {
    *seed = *seed * 1664525u + 1013904223u;
    *number = *seed >> 16;
    return MYK_OK;
}

float myk_largest(const float *numbers, size_t n, size_t *at) {
    *at = 0;
    for (size_t one = 1; one < n; ++one)
        if (numbers[one] > numbers[*at]) *at = one;
    return n ? numbers[*at] : 0;
}

int myk_visit(size_t blocks, int (*visit)(size_t, myk_order, void *), void *user) {
    for (size_t block = 0; block < blocks; ++block)
        if (const int found = visit(block, block % 2 ? MYK_COLUMNS : MYK_ROWS, user)) return found;
    return 0;
}
