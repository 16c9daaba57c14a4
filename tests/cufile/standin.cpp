// What the tests need of cuFile, between files and the host runtime's memory: the real library opens no driver without
// a GPU.
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <deque>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

struct Error {
  int err;
  unsigned cu_err;
};
struct Description {
  int type;
  union {
    int fd;
    void *handle;
  };
  const void *operations;
};
struct File {
  int fd;
};
struct Operation {
  int mode;
  char *base;
  off_t file_offset, offset;
  size_t size;
  File *file;
  int opcode;
  void *cookie;
};
struct Event {
  void *cookie;
  int status;
  ssize_t done;
};
struct Vector {
  char *base;
  size_t size;
};
struct Batch {
  unsigned most;
  std::deque<Operation> left;
};
// A transfer in a stream's order: all numbers are read when it runs.
struct Queued {
  bool write;
  File *file;
  char *base;
  size_t *size;
  off_t *file_offset, *offset;
  ssize_t *done;
};
static_assert(sizeof(Operation) == 64 && sizeof(Event) == 24 && sizeof(Description) == 24);

constexpr Error success{0, 0}, invalid{5022, 77}; // only CU_FILE_CUDA_DRIVER_ERROR makes the driver's code count
constexpr int not_registered = 5027;
int made;
std::vector<Queued> queued;
size_t poll_threshold = 4, slabs[2][2] = {{4, 8}, {1, 2}};

ssize_t move(bool write, File *file, char *at, size_t size, off_t offset) {
  return write ? pwrite(file->fd, at, size, offset) : pread(file->fd, at, size, offset);
}
ssize_t move_all(bool write, File *file, const Vector *each, size_t count, off_t at) {
  if (!file) return -not_registered;
  ssize_t sum = 0;
  for (size_t k = 0; k < count; ++k) {
    const ssize_t moved = move(write, file, each[k].base, each[k].size, at + sum);
    if (moved < 0) return moved;
    sum += moved;
  }
  return sum;
}

} // namespace

extern "C" {

int standin_made() { return made; }
void standin_run() {
  for (const Queued &one : std::exchange(queued, {}))
    *one.done = move(one.write, one.file, one.base + *one.offset, *one.size, *one.file_offset);
}

Error cuFileGetVersion(int *version) { return *version = 1200, success; }
Error cuFileHandleRegister(File **out, const Description *what) {
  if (what->type != 1 || what->operations) return {5018, 0};
  if (fcntl(what->fd, F_GETFD) < 0) return invalid;
  return ++made, *out = new File{what->fd}, success;
}
void cuFileHandleDeregister(File *file) { --made, delete file; }
Error cuFileBufRegister(const void *at, size_t, int) { return at ? success : invalid; }
Error cuFileBufDeregister(const void *at) { return at ? success : invalid; }
ssize_t cuFileRead(File *file, char *base, size_t size, off_t at, off_t offset) {
  return file ? move(false, file, base + offset, size, at) : -not_registered;
}
ssize_t cuFileWrite(File *file, char *base, size_t size, off_t at, off_t offset) {
  return file ? move(true, file, base + offset, size, at) : -not_registered;
}
ssize_t cuFileReadv(File *file, const Vector *each, size_t count, off_t at, unsigned) {
  return move_all(false, file, each, count, at);
}
ssize_t cuFileWritev(File *file, const Vector *each, size_t count, off_t at, unsigned) {
  return move_all(true, file, each, count, at);
}
Error cuFileReadAsync(File *file, char *base, size_t *size, off_t *at, off_t *offset, ssize_t *done, void *) {
  return queued.push_back({false, file, base, size, at, offset, done}), success;
}
Error cuFileWriteAsync(File *file, char *base, size_t *size, off_t *at, off_t *offset, ssize_t *done, void *) {
  return queued.push_back({true, file, base, size, at, offset, done}), success;
}
Error cuFileStreamRegister(void *, unsigned flags) { return flags > 15 ? Error{5011, 400} : success; }
Error cuFileBatchIOSetUp(Batch **out, unsigned most) { return ++made, *out = new Batch{most, {}}, success; }
Error cuFileBatchIOSubmit(Batch *batch, unsigned count, const Operation *each, unsigned) {
  if (batch->left.size() + count > batch->most) return {5037, 0};
  return batch->left.insert(batch->left.end(), each, each + count), success;
}
Error cuFileBatchIOGetStatus(Batch *batch, unsigned least, unsigned *count, Event *each, timespec *timeout) {
  if (!each || (timeout && timeout->tv_nsec >= 1000000000) || batch->left.size() < least) return invalid;
  unsigned given = 0;
  for (; given < *count && !batch->left.empty(); batch->left.pop_front()) {
    const Operation &one = batch->left.front();
    const ssize_t moved = move(one.opcode == 1, one.file, one.base + one.offset, one.size, one.file_offset);
    each[given++] = {one.cookie, moved < 0 ? 0x40 : 0x10, moved};
  }
  return *count = given, success;
}
Error cuFileBatchIOCancel(Batch *batch) { return batch->left.clear(), success; }
void cuFileBatchIODestroy(Batch *batch) { --made, delete batch; }
Error cuFileGetParameterSizeT(int which, size_t *value) {
  return which == 10 ? (*value = poll_threshold, success) : invalid;
}
Error cuFileSetParameterSizeT(int which, size_t value) { return which == 10 ? (poll_threshold = value, success) : invalid; }
Error cuFileGetParameterPosixPoolSlabArray(size_t *sizes, size_t *counts, int length) {
  if (length != 2) return invalid;
  for (int k = 0; k < 2; ++k) sizes[k] = slabs[0][k], counts[k] = slabs[1][k];
  return success;
}
Error cuFileSetParameterPosixPoolSlabArray(const size_t *sizes, const size_t *counts, int length) {
  if (length != 2) return invalid;
  for (int k = 0; k < 2; ++k) slabs[0][k] = sizes[k], slabs[1][k] = counts[k];
  return success;
}
Error cuFileGetStatsL3(char *stats) { // all bytes of the struct as header 1.20 has it
  for (size_t k = 0; k < 5112; ++k) stats[k] = 0;
  return *reinterpret_cast<uint64_t *>(stats) = 5, success;
}
}
