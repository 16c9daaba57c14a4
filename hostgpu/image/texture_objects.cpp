// The tables of objects, and the check of their memory when a kernel uses them.
#include "image/texture_objects.hpp"

namespace pygpu::host {

Handles<TextureObject> &texture_objects() {
    static auto *handles = new Handles<TextureObject>;
    return *handles;
}

Handles<TextureReference> &texture_references() {
    static auto *handles = new Handles<TextureReference>;
    return *handles;
}

void forget_texture_objects(unsigned long long context) {
    for (const auto &[handle, object] : texture_objects().all()) {
        if (object->context == context) texture_objects().remove(handle);
    }
    for (const auto &[handle, reference] : texture_references().all()) {
        if (reference->context == context) texture_references().remove(handle);
    }
}

std::shared_ptr<const Texture> usable_texture(std::uint64_t handle, bool surface, const char *&why) {
    auto texture_object = texture_objects().find(reinterpret_cast<const void *>(handle));
    if (const auto reference = texture_references().find(reinterpret_cast<const void *>(handle))) {
        texture_object = reference->bound();
        why = "is a texture reference to which nothing is bound that fits";
        if (!texture_object) return nullptr;
    }
    if (!texture_object || texture_object->surface != surface) {
        why = texture_object ? (surface ? "is a texture object, not a surface object"
                                        : "is a surface object, not a texture object")
              : surface      ? "is not a surface object, or one that was destroyed"
                             : "is not a texture object, or one that was destroyed";
        return nullptr;
    }
    const Memory memory =
        memory_at(reinterpret_cast<const void *>(texture_object->texture.base_level().base));
    if (!memory || (texture_object->array && memory != texture_object->array)) {
        why = texture_object->array ? "stands for an array that was freed"
                                    : "stands for memory that isn't allocated";
        return nullptr;
    }
    auto texture = std::make_shared<Texture>(texture_object->texture);
    const auto base = reinterpret_cast<std::uintptr_t>(memory->base);
    texture->range = {base, base + memory->size, memory->writable};
    texture->held = memory;
    return texture;
}

} // namespace pygpu::host
