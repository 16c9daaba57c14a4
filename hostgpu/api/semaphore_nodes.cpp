// Nodes for semaphores of other APIs. No semaphore can be imported, so no node can be made: all arguments are
// invalid values, as the manual calls handles that are no semaphores.
#include "api/graphs.hpp"

namespace pygpu::host::api {
// Whatever the list of semaphores is, nothing in it is one.
Status GraphAddExternalSemaphoresSignalNode(NodeTag **, GraphTag *, NodeTag *const *, std::size_t,
                                            const void *) {
    return Status::invalid_value;
}
Status GraphAddExternalSemaphoresWaitNode(NodeTag **, GraphTag *, NodeTag *const *, std::size_t,
                                          const void *) {
    return Status::invalid_value;
}

// No node is of these kinds, whatever it is.
Status GraphExternalSemaphoresSignalNodeGetParams(NodeTag *, void *) { return Status::invalid_value; }
Status GraphExternalSemaphoresSignalNodeSetParams(NodeTag *, const void *) { return Status::invalid_value; }
Status GraphExternalSemaphoresWaitNodeGetParams(NodeTag *, void *) { return Status::invalid_value; }
Status GraphExternalSemaphoresWaitNodeSetParams(NodeTag *, const void *) { return Status::invalid_value; }
Status GraphExecExternalSemaphoresSignalNodeSetParams(ExecutableTag *, NodeTag *, const void *) {
    return Status::invalid_value;
}
Status GraphExecExternalSemaphoresWaitNodeSetParams(ExecutableTag *, NodeTag *, const void *) {
    return Status::invalid_value;
}

} // namespace pygpu::host::api
