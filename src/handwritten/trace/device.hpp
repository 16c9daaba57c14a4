// What CUPTI says of kernels and copies, written to the trace's file. Everything here runs without the GIL,
// on threads of the program or of CUPTI: the thread that holds the GIL may wait for one of CUPTI's locks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pygpu::trace {

// CUPTI's cuptiActivityGetNextRecord.
using NextRecord = int (*)(std::uint8_t *buffer, std::size_t valid, std::uint8_t **record);
// Called before CUPTI has the functions below.
void read_records_by(NextRecord next);

// Callbacks of cuptiActivityRegisterCallbacks: one gives memory, the other reads the records in it.
void give_buffer(std::uint8_t **buffer, std::size_t *size, std::size_t *most);
void take_buffer(void *context, std::uint32_t stream, std::uint8_t *buffer, std::size_t size,
                 std::size_t valid);

// The callback of cuptiSubscribe: a function of CUDA begins or ends on this thread. It tells which recorded
// call CUPTI's number belongs to.
void entered(void *data, int domain, std::uint32_t function, const void *call);

// Notes what the trace's clock and CUPTI's say at the same moment.
void note_clocks(std::uint64_t own, std::uint64_t other);

} // namespace pygpu::trace
