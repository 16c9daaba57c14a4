// One allocation, reference-counted: the memory of DeviceArray, GPUArray and pinned arrays.
//
//     auto buffer = allocate(runtime, "GPUArray()", size, stream); // allocate.hpp
//     if (!status) status = buffer->begin_use(scope, stream, false); // before work on a stream
//     buffer->go_on_with_use(stream.stream, device);               // once it is queued
//     buffer->let_escape();                                        // its address was handed out
//
// The release of the last reference frees the memory, on any thread, with the GIL held: free_in_order.hpp
// says how. Freeing never breaks a capture, and keeps the current exception and the last error.
//
// free() gives the memory back earlier. After that, check() refuses it. Uses that are under way
// (`Buffer::Using`), by another thread or by a graph, end first.
//
// A buffer may lie in another one, which an allocator has returned. Then free() gives the memory back to the
// allocator. free() of the other one frees both.
//
// A buffer is the tail of a Python object. The garbage collector tracks this object as soon as the buffer
// refers to an object of a user: an allocator or a stream. Objects that refer to a buffer visit it by
// Py_VISIT(buffer->object()).
#pragma once

#include "arrays/base/intrusive_pointer.hpp"
#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"
#include "arrays/memory/kind.hpp"
#include "arrays/memory/upload_ring.hpp"
#include "arrays/memory/use_order.hpp"
#include "arrays/streams/argument.hpp"
#include "python/reference.hpp"
#include "runtime/generation.hpp"

#include <cstddef>
#include <cstdint>

namespace pygpu::arrays {

class Buffer {
public:
    using Kind = MemoryKind;

    // Null with MemoryError set if the host has no memory for the object; then `pointer` is freed.
    static Retained<Buffer> make(const Runtime &runtime, Kind kind, void *pointer, std::size_t size,
                                 int device, const StreamArgument &home = {}, Reference owner = {});

    // The Python object whose tail the buffer is.
    PyObject *object() const {
        return reinterpret_cast<PyObject *>(reinterpret_cast<char *>(const_cast<Buffer *>(this)) -
                                            sizeof(PyObject));
    }
    void retain() { Py_INCREF(object()); }
    void release() { Py_DECREF(object()); }

    // A use of the memory that is under way. free() waits for its end. Begins and ends with the GIL held.
    class Using {
    public:
        explicit Using(Buffer &buffer) : buffer_(&buffer) {
            buffer.retain();
            buffer.begin_using();
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

    // The same for Python's buffer protocol, but free_memory() is refused while there are such views. -1 with
    // BufferError set if the memory was freed or has ended. `what` is for the message.
    int lend_view(const char *what, Py_buffer *view, PyObject *exporter, void *begin, Py_ssize_t bytes,
                  int flags);
    static void take_view_back(Py_buffer *view); // of an exporter that may lend other memory, too
    Py_ssize_t views() const { return views_; }

    // Gives the memory back now, or at the end of the last use that is under way. A second call does nothing.
    // `why` is the status of later uses.
    void free(int why = memory_was_freed);
    bool was_freed() const { return freed_; }

    // This one lies in `lender`, which knows the order of both. Call once, after make().
    void lie_in(Buffer &lender);
    // From now on end_dependents() of `source` frees this buffer. A source is another buffer, or loaded code.
    void end_with(const void *source);
    // Frees the buffers that end with `source`, for the reason `why`. Those in use end with their last use.
    // GIL held, and released meanwhile if it has to wait.
    static void end_dependents(const void *source, int why);
    // False with ValueError set if it was freed.
    bool check(const char *call) const { return !freed_ || refuse(call); }
    // Whether the memory exists: success, or the status for raise_status(). After a reset the address may
    // belong to other memory. In a child process the runtime itself fails.
    int state() const {
        if (freed_) return freed_;
        return pointer && ended() && !in_child() ? runtime.codes.context_is_destroyed : success;
    }
    // False with an exception set if the memory doesn't exist any more.
    bool check_exists(const char *call) const;
    // Call before handing out the address: it escapes. Else the same.
    bool let_out(const char *call);
    // As check(), but also false for read-only memory of another library.
    bool check_writable(const char *call) const { return (!freed_ && !readonly) || refuse(call); }

    const Runtime &runtime;
    void *const pointer; // null for a size of 0
    const std::size_t size;
    const int device;
    const Kind kind;
    bool readonly = false;
    // Where the memory is. The caller of make() sets it if the kind doesn't decide it.
    enum class Location : unsigned char { device, pinned, managed } location;

    // The stream whose order the memory follows.
    Stream home() const { return below_ ? below_->home() : order_.home; }
    bool in_pool() const { return below_ ? below_->in_pool() : kind == Kind::pool; }
    PyObject *owner() const { return order_.owner.get(); }
    // Whether the memory ends with the buffer or with its owner. False for a bare address, which has none.
    bool frees() const { return pointer && (kind != Kind::foreign || order_.owner); }
    bool ended() const { return generation_ != generation_of(device); } // by a fork or a reset

    // Call before queueing work on `stream` (of the scope's device). The stream then waits for the home
    // stream's work, and the free will wait for the stream. Other streams are not ordered among each other,
    // because a user who names streams may copy parts on several of them at once. With `after_all` the stream
    // waits for all work recorded so far, as a call must that is synchronous or on the default stream. With
    // the GIL, which may be released.
    int begin_use(Scope &scope, const StreamArgument &stream, bool after_all);
    // Whether begin_use() would have nothing to wait for and nothing to record. Then the caller may call
    // go_on_with_use() without it.
    bool is_in_order(Stream stream, int on, bool after_all);
    // Whether `stream` is the home stream, and no other stream has used the memory.
    bool is_settled(Stream stream) const;
    // Call before exporting the home stream to code that doesn't know the other streams. The home stream then
    // waits for all of them, and home() is a stream that still exists.
    int begin_export(Scope &scope);
    // Call after queueing the work: a stream that was ordered after this use in between did not wait for it.
    void go_on_with_use(Stream stream, int on);

    // The loan ends with the memory, or with its last use.
    void keep_loan(Loan &&loan) { order_.loan = std::move(loan); }

    // Whether the memory's stream and all streams that used it have done their work: success, "not ready", or
    // a failure. With `wait` it waits for that, with the GIL released.
    int query(bool wait);

    // The address becomes known to code that PyGPU can't see. The free then waits for the whole device.
    // Uploads and fills that are under way are ordered on the default stream, as after cudaMemcpy.
    void let_escape() {
        if (below_) return below_->let_escape();
        order_.escaped = known_ = true;
    }
    // The same for an export or a graph, whose streams nobody knows. It waits for the uploads and fills, and
    // later uploads are done when their calls return. With the GIL, which may be released.
    void let_be_used_anywhere() {
        if (below_) return below_->let_be_used_anywhere();
        order_.escaped = known_ = used_anywhere_ = true;
        if (last_upload_) wait_for_upload();
    }
    // The caller guarantees that begin_use() records all uses from now on.
    void record_uses() {
        if (below_) return below_->record_uses();
        order_.escaped = false;
    }

    // Which uploads may still be under way when the call returns: all, as nobody can see it; those from
    // pageable memory, as after cudaMemcpy, since the address is known; or none.
    enum class Uploads : unsigned char { none, pageable, all };
    Uploads may_upload() const {
        if (below_) return below_->may_upload();
        if (used_anywhere_ || (kind != Kind::pool && kind != Kind::plain)) return Uploads::none;
        return known_ ? Uploads::pageable : Uploads::all;
    }
    // Notes the fence of upload_async() for a copy into this memory. With the GIL, which may be released.
    void note_upload(Fence fence) {
        if (below_) return below_->note_upload(fence);
        last_upload_ = fence;
        if (used_anywhere_) wait_for_upload(); // another thread may have exported it meanwhile
    }
    // The same for a fill, but only a later export waits for it.
    void note_filled(Fence fence) {
        if (below_) return below_->note_filled(fence);
        last_upload_ = fence;
    }

private:
    friend struct BufferObject;

    Buffer(const Runtime &runtime, Kind kind, void *pointer, std::size_t size, int device,
           const StreamArgument &home, Reference owner);
    ~Buffer() = default;

    bool refuse(const char *call) const; // raises ValueError; always false
    void begin_using() {
        ++users_;
        if (below_) below_->begin_using();
    }
    void end_use();
    void end();   // ends the memory
    void track(); // call when it refers to an object of a user
    void wait_for_upload();
    void leave_below();    // takes over what it needs to wait for its own uses
    void forget_source();  // the end of end_with()
    void watch_address();  // from now on the buffer escapes when a call takes an address within it
    void forget_address(); // the end of that
    bool on_host() const { return kind == Kind::pinned || kind == Kind::managed; }
    bool is_home(Stream stream, int on) const { return stream == order_.home && on == device; }
    UseOrder::Use *use_on(Stream stream, int on); // null if none is recorded
    // From now on the memory follows the default stream, after all work so far. False if that is not
    // possible.
    bool leave_streams();
    // Removes the uses that a later one has waited for, so that their streams need not stay alive. Removes
    // none while another operation is under way, which may have begun a use. The end of the returned uses may
    // end streams, and so run a user's code.
    std::vector<UseOrder::Use> drop_waited_uses();
    // Streams that were destroyed after they used the memory can't be waited for. So this waits for their
    // devices, and forgets the streams. With the GIL, which is released meanwhile.
    int wait_for_destroyed(Scope &scope);

    Buffer *lender_ = nullptr;     // in which this one lies; lent to this one until its end
    Buffer *below_ = nullptr;      // the lowest of those, which knows the order of all
    const void *source_ = nullptr; // of end_with()
    int freed_ = success;          // or why free() was called
    bool memory_ended_ = false;
    int users_ = 0;
    int lent_ = 0;
    Py_ssize_t views_ = 0; // which count among `lent_`
    // The last upload that may be under way to this memory, perhaps from the time of an earlier buffer here.
    bool known_ = false;         // its address has escaped at some time
    bool used_anywhere_ = false; // by an export or a graph
    Fence last_upload_ = 0;
    const DeviceGeneration generation_;
    UseOrder order_;
};

inline Retained<Buffer> retained(Buffer &buffer) {
    buffer.retain();
    return Retained<Buffer>(&buffer);
}

// Fills in a view by Python's buffer protocol on the host's memory, which may be null.
int fill_view(Py_buffer *view, PyObject *exporter, void *begin, Py_ssize_t bytes, bool readonly, int flags);

// The type of the objects whose tails are buffers; null with an exception set.
PyTypeObject *buffer_type();

// The users' free(): returns None. ValueError for memory at a bare address, which PyGPU can't free.
// BufferError while numpy arrays or other views use it.
PyObject *free_memory(Buffer &buffer, const char *call);

// The users' record_stream(): this stream uses the memory, and besides it only recorded streams do.
bool record_stream(Buffer &buffer, const char *call, PyObject *stream);

} // namespace pygpu::arrays
