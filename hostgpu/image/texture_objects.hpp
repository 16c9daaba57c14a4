// Texture and surface objects: what they stand for, behind handles.
#pragma once

#include "base/handles.hpp"
#include "base/types.hpp"
#include "image/texture.hpp"
#include "memory/allocation.hpp"

#include <mutex>

namespace pygpu::host {

// What the vendors' descriptors say. Enumerators have the numbers that all APIs give them.
enum ResourceKind { array_resource, mipmapped_resource, linear_resource, pitched_resource };

struct Resource {
    int kind;
    ArrayTag *array;
    void *pointer;
    Channels channels;
    std::size_t bytes;                // of linear memory
    std::size_t width, height, pitch; // of pitched memory
    MipmapTag *mipmap = nullptr;
};

// A view of an array: its texels in another format, and some of its levels and layers.
struct View {
    int format; // 0: none
    std::size_t width, height, depth;
    unsigned first_level, last_level, first_layer, last_layer;
};

struct Sampling {
    int address[3];
    int filter;
    bool as_fraction; // integers are read as fractions
    bool normalized;  // coordinates are fractions
    bool srgb;
    bool seamless;        // filtering continues beyond the edge of a cube's face
    bool fully_trilinear; // NVIDIA's cards may mix fewer levels otherwise; here all are mixed
    float border[4];
    unsigned anisotropy;
    int level_filter;
    float level_bias, least_level, most_level;
};

struct TextureObject {
    Resource resource;
    Sampling sampling; // of a texture
    View view;         // of a texture
    bool surface;
    int device;
    unsigned long long context;
    Memory array;    // the array's or mipmapped array's memory; null for other memory
    Texture texture; // without its range, which is looked up when a kernel uses it
};

// A texture reference: device code names it, and the program binds memory to it. A launch reads what is bound
// when it runs, so binding waits for the device's work first.
class TextureReference {
public:
    TextureReference(int device, unsigned long long context) : device(device), context(context) {}

    const int device;
    const unsigned long long context;
    // Null where nothing is bound, or where sampler and memory don't fit.
    std::shared_ptr<TextureObject> bound() const {
        std::lock_guard lock(mutex_);
        return bound_;
    }
    void bind(std::shared_ptr<TextureObject> object) {
        std::lock_guard lock(mutex_);
        bound_ = std::move(object);
    }

    // ---- what the program has set so far; only one thread at a time sets a reference
    Resource resource{-1, nullptr, nullptr, {32, 0, 0, 0, 2}, 0, 0, 0, 0};
    Sampling sampling{};
    unsigned flags = 0;

private:
    mutable std::mutex mutex_;
    std::shared_ptr<TextureObject> bound_;
};

Handles<TextureObject> &texture_objects();
Handles<TextureReference> &texture_references();
void forget_texture_objects(unsigned long long context);

// The texture of a handle, for a launch. Null, with the reason in `why`, if there is none, or if its memory
// is gone.
std::shared_ptr<const Texture> usable_texture(std::uint64_t handle, bool surface, const char *&why);

} // namespace pygpu::host
