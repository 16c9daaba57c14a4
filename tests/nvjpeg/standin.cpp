// A stand-in for nvJPEG: it makes bitstreams of a known text, and notes what it gets.
#include <cstddef>
#include <cstring>

namespace {
constexpr char stream_of_jpeg[] = "a bitstream";
constexpr std::size_t size_of_jpeg = sizeof stream_of_jpeg - 1;
int batch;
const void *kept;      // of the last allocator, or of the last bitstream
unsigned long total;   // of bytes and pitches
int gone;              // handles that were destroyed
char object;
} // namespace

struct Image {
    unsigned char *channel[4];
    std::size_t pitch[4];
};

extern "C" {
const void *standin_kept() { return kept; }
const void *standin_total() { return reinterpret_cast<const void *>(total); }
const void *standin_gone() { return reinterpret_cast<const void *>(static_cast<std::size_t>(gone)); }

int nvjpegCreateEx(int, const void *device, const void *, unsigned, void **handle) {
    kept = device;
    *handle = &object;
    return 0;
}
int nvjpegJpegStateCreate(void *, void **state) {
    static int one;
    return *state = &one, 0;
}
int nvjpegJpegStateDestroy(void *) { return 0; }
int nvjpegDestroy(void *) {
    gone++;
    return 0;
}
int nvjpegJpegStreamParse(void *, const unsigned char *data, std::size_t length, int, int save, void *) {
    kept = data;
    total = length + static_cast<std::size_t>(save);
    return 0;
}
int nvjpegGetImageInfo(void *, const unsigned char *, std::size_t, int *components, int *subsampling, int *widths,
                       int *heights) {
    *components = 3;
    *subsampling = 2;
    for (int at = 0; at < 4; ++at) {
        widths[at] = at < 3 ? 64 >> (at > 0) : 0;
        heights[at] = at < 3 ? 48 >> (at > 0) : 0;
    }
    return 0;
}
int nvjpegDecodeBatchedInitialize(void *, void *, int size, int, int) {
    batch = size;
    return 0;
}
// Each image gets its bitstream's first byte in its first row.
int nvjpegDecodeBatched(void *, void *, const unsigned char *const *data, const std::size_t *lengths,
                        const Image *images, void *) {
    total = 0;
    for (int at = 0; at < batch; ++at) {
        total += lengths[at];
        std::memset(images[at].channel[0], data[at][0], images[at].pitch[0]);
    }
    return 0;
}
// As nvJPEG: a length alone without memory, and no more than fits.
int nvjpegEncodeRetrieveBitstream(void *, void *, unsigned char *data, std::size_t *length, void *) {
    const std::size_t room = *length;
    *length = size_of_jpeg;
    if (!data)
        return 0;
    if (room < size_of_jpeg)
        return 2;
    std::memcpy(data, stream_of_jpeg, size_of_jpeg);
    return 0;
}
int nvjpegEncodeRetrieveBitstreamDevice(void *handle, void *state, unsigned char *data, std::size_t *length,
                                        void *stream) {
    return nvjpegEncodeRetrieveBitstream(handle, state, data, length, stream);
}
}
