// Whether a stream was destroyed.
#include "arrays/streams/stream.hpp"

#include "types/handles/handle_class.hpp"

namespace pygpu::arrays {

bool is_gone(PyObject *owner) {
    if (!owner) return false;
    const StreamObject *own = stream_object(owner);
    return own ? own->destroyed || is_gone(own->owner.get()) : is_destroyed(owner);
}

} // namespace pygpu::arrays
