// What a program asks of kernels: attributes, and how many blocks a multiprocessor runs at once.
#pragma once

#include "base/status.hpp"
#include "code/launch.hpp"

#include <cstddef>

namespace pygpu::host {

// The numbers that all APIs give them.
enum KernelAttribute {
    threads_per_block = 0,
    static_shared = 1,
    constant_memory = 2,
    local_memory = 3,
    registers = 4,
    ptx_version = 5,
    binary_version = 6,
    dynamic_shared = 8,
    cluster_must_be_set = 10,
    cluster_width = 11,
    cluster_height = 12,
    cluster_depth = 13,
    large_clusters = 14
};

// 0 for attributes that mean nothing here.
int kernel_attribute(const Kernel &kernel, int attribute);
// All that a runtime's struct of attributes has a field for.
template <class Attributes> void get_all_attributes(const Kernel &kernel, Attributes &to) {
    to = {};
    to.sharedSizeBytes = static_cast<std::size_t>(kernel_attribute(kernel, static_shared));
    to.constSizeBytes = static_cast<std::size_t>(kernel_attribute(kernel, constant_memory));
    to.localSizeBytes = static_cast<std::size_t>(kernel_attribute(kernel, local_memory));
    to.maxThreadsPerBlock = kernel_attribute(kernel, threads_per_block);
    to.numRegs = kernel_attribute(kernel, registers);
    to.ptxVersion = kernel_attribute(kernel, ptx_version);
    to.binaryVersion = kernel_attribute(kernel, binary_version);
    to.maxDynamicSharedSizeBytes = kernel_attribute(kernel, dynamic_shared);
    to.preferredShmemCarveout = -1; // the default
}
Status get_kernel_attribute(const Kernel &kernel, int attribute, int *value);
// Of the attributes that can be set, dynamic shared memory and large clusters mean something here.
Status set_attribute(const Kernel &kernel, int attribute, int value);

// As many blocks as a multiprocessor has threads and shared memory for; registers don't count, because
// nothing here is compiled for them. Without a profile each processor is a multiprocessor, and runs one block
// at a time.
Status get_max_active_blocks(const Kernel &kernel, int threads, std::size_t dynamic, unsigned flags,
                             int *count);
// The block of at most `limit` threads (0: of any number) that fills a multiprocessor best, and how many
// occupy the device. `dynamic_of` returns the dynamic shared memory for a number of threads; where it is
// null, `dynamic` counts.
Status get_block_size(const Kernel &kernel, std::size_t (*dynamic_of)(int threads), std::size_t dynamic,
                      int limit, unsigned flags, int *blocks, int *threads);
// How many of a launch's clusters run at once, and the most blocks of one.
Status get_max_active_clusters(const Kernel &kernel, const Launch &launch, int *count);
Status get_max_cluster_size(const Kernel &kernel, const Launch &launch, int *size);
// How much dynamic shared memory a block may have where `blocks` run at once.
Status get_available_shared(const Kernel &kernel, int blocks, int threads, std::size_t *size);

} // namespace pygpu::host
