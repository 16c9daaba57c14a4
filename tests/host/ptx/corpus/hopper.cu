// Clusters, distributed shared memory, mbarriers across blocks, bulk copies: what compute capability 9.0 added.
using u32 = unsigned;
using u64 = unsigned long long;

__device__ u32 at(const void *shared) { return (u32)__cvta_generic_to_shared(shared); }
__device__ u32 in_block(u32 address, u32 rank) {
    u32 there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}
__device__ u32 rank() {
    u32 value;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(value));
    return value;
}
__device__ void meet() {
    asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
}
__device__ void init(u64 *bar, u32 count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(bar)), "r"(count) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ void expect(u64 *bar, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(bar)), "r"(bytes) : "memory");
}
__device__ void wait(u64 *bar, u32 parity) {
    asm volatile("{ .reg .pred p;\n again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again; }" ::"r"(at(bar)), "r"(parity) : "memory");
}

// What each block knows of its cluster.
extern "C" __global__ void places(u32 *out) {
    u32 all[16];
    asm volatile("mov.u32 %0, %%clusterid.x; mov.u32 %1, %%clusterid.y; mov.u32 %2, %%clusterid.z;"
                 : "=r"(all[0]), "=r"(all[1]), "=r"(all[2]));
    asm volatile("mov.u32 %0, %%nclusterid.x; mov.u32 %1, %%nclusterid.y; mov.u32 %2, %%nclusterid.z;"
                 : "=r"(all[3]), "=r"(all[4]), "=r"(all[5]));
    asm volatile("mov.u32 %0, %%cluster_ctaid.x; mov.u32 %1, %%cluster_ctaid.y; mov.u32 %2, %%cluster_ctaid.z;"
                 : "=r"(all[6]), "=r"(all[7]), "=r"(all[8]));
    asm volatile("mov.u32 %0, %%cluster_nctaid.x; mov.u32 %1, %%cluster_nctaid.y; mov.u32 %2, %%cluster_nctaid.z;"
                 : "=r"(all[9]), "=r"(all[10]), "=r"(all[11]));
    asm volatile("mov.u32 %0, %%cluster_ctarank; mov.u32 %1, %%cluster_nctarank;" : "=r"(all[12]), "=r"(all[13]));
    asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(all[14]));
    all[15] = 7;
    const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (threadIdx.x == 0)
        for (int k = 0; k < 16; ++k) out[16 * block + k] = all[k];
}

// Each block leaves its number in its shared memory; the next block of the cluster reads it, by an address of the
// window and by a generic one. All count in block 0.
extern "C" __global__ void neighbours(u32 *out) {
    __shared__ u32 values[32], count;
    const u32 i = threadIdx.x, n = gridDim.x < 4 ? gridDim.x : 4, next = (rank() + 1) % n;
    values[i] = 100 * blockIdx.x + i;
    if (i == 0) count = 0;
    meet();
    u32 first, second, from, generic_from;
    asm volatile("ld.shared::cluster.u32 %0, [%1+4];" : "=r"(first) : "r"(in_block(at(values), next)) : "memory");
    u64 there;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(values + i), "r"(next));
    second = *(volatile u32 *)there;
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(from) : "r"(in_block(at(values), next)));
    asm volatile("getctarank.u64 %0, %1;" : "=r"(generic_from) : "l"(there));
    u32 is_near, is_own;
    asm volatile("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is_near) : "l"(there));
    asm volatile("{ .reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is_own) : "l"(there));
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(in_block(at(&count), 0)), "r"(1)
                 : "memory");
    meet();
    u32 *to = out + 8 * (blockIdx.x * blockDim.x + i);
    to[0] = first;
    to[1] = second;
    to[2] = from;
    to[3] = generic_from;
    to[4] = is_near;
    to[5] = is_own;
    to[6] = count;
    to[7] = rank();
    meet();
}

// Each block sends its values to the next one by st.async and red.async, which signal that block's mbarrier.
extern "C" __global__ void sends(const u32 *in, u32 *out) {
    __shared__ alignas(16) u32 got[2 * 32], sum[32];
    __shared__ u64 bar;
    const u32 i = threadIdx.x, next = (rank() + 1) % 2;
    sum[i] = 1000;
    if (i == 0) {
        init(&bar, 1);
        expect(&bar, 32 * 8 + 32 * 4);
    }
    meet();
    const u32 value = in[blockIdx.x * 32 + i];
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(
                     in_block(at(got + 2 * i), next)),
                 "r"(value), "r"(value + 1), "r"(in_block(at(&bar), next))
                 : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(
                     in_block(at(sum + 31 - i), next)),
                 "r"(value), "r"(in_block(at(&bar), next))
                 : "memory");
    wait(&bar, 0);
    u32 *to = out + 3 * (blockIdx.x * 32 + i);
    to[0] = got[2 * i];
    to[1] = got[2 * i + 1];
    to[2] = sum[i];
    meet();
}

// Threads of all blocks arrive at block 0's mbarrier, three phases after one another.
extern "C" __global__ void arrivals(u32 *out) {
    __shared__ u64 bar;
    const u32 i = threadIdx.x;
    if (i == 0) init(&bar, 4 * blockDim.x);
    meet();
    for (u32 phase = 0; phase < 3; ++phase) {
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], 2;" ::"r"(in_block(at(&bar), 0))
                     : "memory");
        if (rank() == 0) wait(&bar, phase & 1);
        meet();
    }
    if (i == 0) out[blockIdx.x] = 1;
}

// Bulk copies there and back, with a product in between, and a reduction in global memory.
extern "C" __global__ void bulk(const u32 *in, u32 *out, u32 *sums, int count) {
    __shared__ alignas(128) u32 room[256];
    __shared__ u64 bar;
    const u32 i = threadIdx.x;
    if (i == 0) {
        init(&bar, 1);
        expect(&bar, count * 4);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         at(room)),
                     "l"(in + blockIdx.x * count), "r"(count * 4), "r"(at(&bar))
                     : "memory");
    }
    __syncthreads();
    wait(&bar, 0);
    for (int k = i; k < count; k += blockDim.x) room[k] *= 3;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (i == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + blockIdx.x * count),
                     "r"(at(room)), "r"(count * 4)
                     : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(sums),
                     "r"(at(room)), "r"(count * 4)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// A bulk copy to all blocks of a cluster, and one from a block to the next.
extern "C" __global__ void spread(const u32 *in, u32 *out) {
    __shared__ alignas(128) u32 room[64], other[64];
    __shared__ u64 bar[2];
    const u32 i = threadIdx.x, next = rank() ^ 1;
    if (i == 0) {
        init(bar, 1);
        init(bar + 1, 1);
        expect(bar, 256);
        expect(bar + 1, 256);
    }
    meet();
    if (i == 0 && rank() == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1], 256, [%2], %3;" ::"r"(at(room)),
                     "l"(in), "r"(at(bar)), "h"((short)3)
                     : "memory");
    wait(bar, 0);
    room[i] += 1000 * rank();
    room[i + 32] += 1000 * rank();
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (i == 0)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(
                         in_block(at(other), next)),
                     "r"(at(room)), "r"(in_block(at(bar + 1), next))
                     : "memory");
    wait(bar + 1, 0);
    out[64 * blockIdx.x + i] = other[i];
    out[64 * blockIdx.x + i + 32] = other[i + 32];
    meet();
}

// One lane of each warp is elected; the second half of the block has more registers.
extern "C" __global__ void elected(u32 *out) {
    u32 leads, leader;
    asm volatile("{ .reg .pred p; elect.sync %1|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(leads), "=r"(leader));
    asm volatile("griddepcontrol.wait;\n griddepcontrol.launch_dependents;" ::: "memory");
    out[2 * threadIdx.x] = leads;
    out[2 * threadIdx.x + 1] = leader;
}

// Elements of a vector, added at once.
extern "C" __global__ void vectors(float *floats, u32 *halves, float *old) {
    float r[4];
    const float x = threadIdx.x;
    asm volatile("atom.global.v4.f32.add {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"
                 : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3])
                 : "l"(floats), "f"(x), "f"(x + 1), "f"(2 * x), "f"(1.0f)
                 : "memory");
    asm volatile("red.global.v2.f16x2.add.noftz [%0], {%1, %2};" ::"l"(halves), "r"(0x3c003c00), "r"(0x40004000)
                 : "memory");
    if (threadIdx.x == 0)
        for (int k = 0; k < 4; ++k) old[k] = r[k];
}
