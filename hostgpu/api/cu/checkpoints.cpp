// Saving the state of a process that uses the GPU, and restoring it: as a driver that can't.
#include "api/cu/implemented.hpp"

namespace pygpu::host::cu {
namespace {

Status of_process(int process) { return process > 0 ? Status::not_supported : Status::operating_system; }

} // namespace

Status CheckpointProcessGetState(int process, int *state) {
    return state ? of_process(process) : Status::invalid_value;
}

Status CheckpointProcessGetRestoreThreadId(int process, int *thread) {
    return thread ? of_process(process) : Status::invalid_value;
}

Status CheckpointProcessLock(int process, c::CUcheckpointLockArgs *) { return of_process(process); }
Status CheckpointProcessUnlock(int process, c::CUcheckpointUnlockArgs *) { return of_process(process); }
Status CheckpointProcessCheckpoint(int process, c::CUcheckpointCheckpointArgs *) {
    return of_process(process);
}
Status CheckpointProcessRestore(int process, c::CUcheckpointRestoreArgs *) { return of_process(process); }

// No operation is under way that has a handle.
Status CheckpointOperationComplete(c::CUcheckpointOperationHandle) { return Status::invalid_value; }

} // namespace pygpu::host::cu
