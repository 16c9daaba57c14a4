// Green contexts, and the resources of devices that they share out (CUDA Driver API, "Green Contexts").
#pragma once

#include "base/context.hpp"
#include "base/status.hpp"
#include "base/types.hpp"

#include <memory>

namespace pygpu::host {

// A set of multiprocessors of a device, as both of CUDA's APIs lay it out. `origin` lies where the vendor
// keeps what is its own.
struct DevResource {
    enum Type : unsigned { none, multiprocessors };
    struct Origin {
        unsigned long long mark;  // that this host runtime has made it
        unsigned long long split; // the number of the split that it came from; 0: it may be split
        int device;
    };
    struct Processors {
        unsigned count, least, alignment; // least: of a group
        unsigned flags, domain;
    };

    unsigned type;
    unsigned unused;
    Origin origin;
    unsigned char padding[64];
    Processors processors;
    unsigned char rest[20];
    DevResource *next;
};

// What a group of a split should be.
struct GroupWish {
    unsigned count; // 0: as many as can be
    unsigned together, preferred_together;
    unsigned flags, domain;
    unsigned reserved[11];
};

// A reference to a primary context; releasing the last one resets the context, unless the runtime API uses
// it, too.
std::shared_ptr<Context> retain_primary(int device);
Status release_primary(int device);
// The device's primary context goes: so do its green ones.
void end_green_contexts(int device);

// The device and the number of multiprocessors of a description; false where there is none.
bool share_of(const DescriptionTag *description, int &device, unsigned &share);
Status get_resource(const Context &context, DevResource *resource, int type);
Status record_event(const Context &context, EventTag *event);
Status wait_for_event(const Context &context, EventTag *event);

namespace api {

Status DeviceGetDevResource(int device, DevResource *resource, int type);
Status StreamGetDevResource(StreamTag *stream, DevResource *resource, int type);
Status DevSmResourceSplitByCount(DevResource *groups, unsigned *number, const DevResource *input,
                                 DevResource *remaining, unsigned flags, unsigned least);
Status DevSmResourceSplit(DevResource *groups, unsigned number, const DevResource *input,
                          DevResource *remaining, unsigned flags, GroupWish *wishes);
Status DevResourceGenerateDesc(DescriptionTag **description, DevResource *resources, unsigned number);

Status make_green_context(ContextTag **context, DescriptionTag *description, int device);
Status destroy_green_context(ContextTag *context);
Status GreenCtxGetDevResource(ContextTag *context, DevResource *resource, int type);
Status GreenCtxGetId(ContextTag *context, unsigned long long *id);
Status GreenCtxRecordEvent(ContextTag *context, EventTag *event);
Status GreenCtxWaitEvent(ContextTag *context, EventTag *event);
Status GreenCtxStreamCreate(StreamTag **stream, ContextTag *context, unsigned flags, int priority);

Status ExecutionCtxSynchronize(ContextTag *context);
Status ExecutionCtxGetDevice(int *device, ContextTag *context);

} // namespace api
} // namespace pygpu::host
