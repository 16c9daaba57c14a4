// One allocation, reference-counted: what DeviceArray, GPUArray and pinned arrays stand on.
//
//     auto buffer = allocate(runtime, "GPUArray()", size, stream); // null: GPUError is set
//     int status = try_allocate(runtime, size, stream, buffer);    // the status instead
//     if (!status) status = buffer->begin_use(scope, stream, false); // before work on a stream
//     buffer->go_on_with_use(stream.stream, device);               // once it is queued
//     buffer->let_escape();                                        // its address was handed out
//
// The last reference frees, on any thread, with the GIL held: free_in_order.hpp says how. Freeing never
// breaks a capture, and keeps exception and last error.
//
// free() gives the memory back before that: check() then refuses it. Uses that are under
// way (`Buffer::Using`), by another thread or by a graph, end first.
//
// A buffer is the tail of a Python object, which the garbage collector tracks as soon as the buffer refers to
// an object of a user's: an allocator or a stream. Objects that refer to it visit:
// Py_VISIT(buffer->object()).
#pragma once

#include "arrays/base/intrusive_pointer.hpp"
#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"
#include "arrays/memory/order.hpp"
#include "arrays/memory/upload_ring.hpp"
#include "arrays/streams/argument.hpp"
#include "python/reference.hpp"
#include "runtime/generation.hpp"

#include <cstddef>
#include <cstdint>

namespace pygpu::arrays {

class Buffer {
public:
    enum class Kind : unsigned char {
        pool,     // a device's, from PyGPU's pool: freed in stream order
        plain,    // a device's, without a pool or allocated in a capture: freeing waits for the device
        pinned,   // the host's, page-locked
        managed,  // of both
        resource, // from an object with allocate() and deallocate(), RMM's say
        foreign,  // owned by the Python object `owner`
        lent,     // another library's, which gets it back after all uses
    };

    // Null with MemoryError set where the host has no memory for it; `pointer` is freed then.
    static Retained<Buffer> make(const Runtime &runtime, Kind kind, void *pointer, std::size_t size,
                                 int device, const StreamArgument &home = {}, Reference owner = {});

    // That the buffer is the tail of.
    PyObject *object() const {
        return reinterpret_cast<PyObject *>(reinterpret_cast<char *>(const_cast<Buffer *>(this)) -
                                            sizeof(PyObject));
    }
    void retain() { Py_INCREF(object()); }
    void release() { Py_DECREF(object()); }

    // A use of the memory that is under way: free() waits for its end. GIL held at both of its ends.
    class Using {
    public:
        explicit Using(Buffer &buffer) : buffer_(&buffer) {
            buffer.retain();
            ++buffer.users_;
        }
        Using(Using &&) = default;
        Using &operator=(Using &&) = default;
        ~Using() {
            if (buffer_) buffer_->end_use();
        }

        Buffer &buffer() const { return *buffer_; }

    private:
        Retained<Buffer> buffer_;
    };

    // Lends the memory to code that gives it back: free() waits for that. GIL held.
    void lend() {
        retain();
        ++lent_;
    }
    void take_back();

    // Gives the memory back now, or at the end of the last use that is under way. Twice is once.
    void free();
    bool was_freed() const { return freed_; }
    // False with ValueError set where it was freed.
    bool check(const char *call) const { return !freed_ || refuse(call); }
    // The same, and where it is another library's that may only be read.
    bool check_writable(const char *call) const { return (!freed_ && !readonly) || refuse(call); }

    const Runtime &runtime;
    void *const pointer; // null for a size of 0
    const std::size_t size;
    const int device;
    const Kind kind;
    bool readonly = false;
    // Which memory it is. Set by who makes the buffer where its kind doesn't say so.
    enum class Place : unsigned char { device, pinned, managed } place;

    Stream home() const { return order_.home; } // the stream whose order it follows
    PyObject *owner() const { return order_.owner.get(); }
    bool on_host() const { return kind == Kind::pinned; }
    // Whether the memory ends with the buffer, or with its owner, which is no bare address then.
    bool frees() const { return pointer && (kind != Kind::foreign || (owner() && !PyIndex_Check(owner()))); }
    bool ended() const { return generation_ != generation_of(device); } // by a fork or a reset

    // Call before queueing work on `stream` (of the scope's device). It waits for the home stream's work, and
    // the free waits for it. Other streams are not ordered among each other (who names them may copy parts on
    // both at once) unless `after_all`: then it waits for all work recorded so far, as a synchronous call
    // must. With the GIL, which may be released.
    int begin_use(Scope &scope, const StreamArgument &stream, bool after_all);
    // Whether begin_use() would find nothing to wait for, and nothing to note: the caller may go on with the
    // use.
    bool is_in_order(Stream stream, int on);
    // Whether all work that was queued on the memory is its home stream's, and that is this stream.
    bool is_settled(Stream stream) const;
    // Call before exporting the home stream to code that doesn't know the others: it waits for all of them,
    // and home() is a stream that still exists.
    int begin_export(Scope &scope);
    // Call after queueing: streams ordered in between did not wait for this work.
    void go_on_with_use(Stream stream, int on);

    // What another library gets back with the end of the memory, or of its last use.
    void keep_loan(Loan &&loan) { order_.loan = std::move(loan); }

    // Whether the memory's stream and all that used it have come to their ends: 0, "not ready", or a failure.
    // With `wait` it waits for that, with the GIL released.
    int query(bool wait);

    // Its address becomes known to code that PyGPU can't see: the free then waits for the whole device.
    // Uploads and fills that may be under way are waited for now, with the GIL released.
    void let_escape() {
        order_.escaped = known_ = true;
        if (last_upload_) wait_for_upload();
    }
    // From now on begin_use() records all uses again; the caller guarantees that.
    void record_uses() { order_.escaped = false; }

    // Whether an upload may still be under way when the call returns: nobody else can know the address.
    bool may_upload() const { return !known_ && (kind == Kind::pool || kind == Kind::plain); }
    // What upload_async() gave for a copy into this memory. With the GIL, which may be released.
    void note_upload(Fence fence) {
        last_upload_ = fence;
        if (known_) wait_for_upload(); // another thread read the address meanwhile
    }
    // The same for a fill: only reading the address waits for it.
    void note_filled(Fence fence) { last_upload_ = fence; }

private:
    friend struct BufferObject;

    Buffer(const Runtime &runtime, Kind kind, void *pointer, std::size_t size, int device,
           const StreamArgument &home, Reference owner);
    ~Buffer() = default;

    bool refuse(const char *call) const; // false: it was freed
    void end_use();
    void end();   // of the memory
    void track(); // once it refers to an object of a user's
    void wait_for_upload();
    bool is_home(Stream stream, int on) const { return stream == order_.home && on == device; }
    Order::Use *use_on(Stream stream, int on); // null where none is recorded
    // From now on the memory follows the default stream, after all work so far. False where that can't be.
    bool leave_streams();
    // Takes out the uses that a recorded one, or the home stream, comes after: their streams need not live
    // on. None while another operation is under way, which may have begun one. What is returned may end
    // streams, and run a user's code by that.
    std::vector<Order::Use> drop_waited_uses();
    // Streams that were destroyed since they used the memory can't be waited for one by one: their devices
    // are, and the streams forgotten. With the GIL, which is released meanwhile.
    int wait_for_destroyed(Scope &scope);

    bool known_ = false; // its address escaped at any time
    bool freed_ = false; // by free()
    bool memory_ended_ = false;
    int users_ = 0;
    int lent_ = 0;
    // Of the last upload that may be under way to this memory, perhaps while an earlier buffer had it.
    Fence last_upload_ = 0;
    const DeviceGeneration generation_;
    Order order_;
    std::uint64_t home_work_; // how often work of its own stream was begun, the allocation or loan among it
};

// The type of the objects that buffers are the tails of; null with an exception set.
PyTypeObject *buffer_type();

// Device memory on the current device, from the pool where there is one. Out of memory trims the pool and
// tries once more. Call with the GIL held; it is released meanwhile. A size of 0 allocates nothing.
int try_allocate(const Runtime &runtime, std::size_t size, const StreamArgument &stream,
                 Retained<Buffer> &made);

// The same through the allocator in force (allocator.hpp) or the one given; raises GPUError, which is a
// MemoryError that says how much was requested, free and pooled.
Retained<Buffer> allocate(const Runtime &runtime, const char *call, std::size_t size,
                          const StreamArgument &stream, PyObject *allocator = nullptr);

// Raises what try_allocate() returned.
PyObject *raise_allocation(const Runtime &runtime, int status, const char *call, std::size_t size);

// What free() of users does: None, or ValueError where nobody but who gave the memory can free it.
PyObject *free_memory(Buffer &buffer, const char *call);

// What record_stream() of users does: the memory is used on this stream, and otherwise on recorded ones only.
bool record_stream(Buffer &buffer, const char *call, PyObject *stream);

// Page-locked host memory, or managed memory: the status, or GPUError raised.
int try_allocate_host(const Runtime &runtime, std::size_t size, Buffer::Kind kind, Retained<Buffer> &made);
Retained<Buffer> allocate_host(const Runtime &runtime, const char *call, std::size_t size, Buffer::Kind kind);

} // namespace pygpu::arrays
