// What the tests need of cuFFT, on the host's memory: the real library makes no plan without a GPU.
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using Complex = std::complex<float>;
struct Descriptor { int version; void *descriptor; int library, subFormat; void *libDescriptor; };
struct Factors { long long numbers[10]; int shifts[4]; };

namespace {
int size_of_plan, devices = 1;
void *stream_of_plan, *area;
Descriptor *allocated;
enum { success, invalid_plan, invalid_value = 4 };
}  // namespace

extern "C" {

int cufftGetVersion(int *version) { return *version = 12000, success; }
int cufftCreate(int *plan) { return *plan = 7, success; }
int cufftDestroy(int plan) { return plan == 7 ? success : invalid_plan; }
int cufftPlan1d(int *plan, int nx, int, int) { return size_of_plan = nx, *plan = 7, success; }
int cufftSetStream(int, void *stream) { return stream_of_plan = stream, success; }
int cufftSetWorkArea(int, void *memory) { return area = memory, success; }
void *standin_stream() { return stream_of_plan; }
void *standin_area() { return area; }

int cufftXtSetGPUs(int, int count, int *which) {
  for (int at = 0; at < count; ++at)
    if (which[at] != at) return invalid_value;
  return devices = count, success;
}

// One size for each device; a missing layout counts as the sizes themselves.
int cufftMakePlanMany(int, int rank, int *n, int *inembed, int, int, int *onembed, int, int, int, int batch,
                      size_t *work) {
  size_t size = batch;
  for (int at = 0; at < rank; ++at) {
    size *= n[at];
    if (inembed && inembed[at] < n[at]) return invalid_value;
  }
  if (onembed) return invalid_value;
  for (int at = 0; at < devices; ++at) work[at] = size * 8 + at;
  return success;
}

int cufftExecC2C(int, Complex *in, Complex *out, int direction) {
  auto *result = new Complex[size_of_plan];
  for (int to = 0; to < size_of_plan; ++to)
    for (int at = 0; at < size_of_plan; ++at)
      result[to] += in[at] * std::polar(1.0f, direction * 6.2831853f * float(at * to % size_of_plan) / size_of_plan);
  std::memcpy(out, result, size_of_plan * sizeof *out);
  delete[] result;
  return success;
}

int cufftXtQueryPlan(int, Factors *out, int) {
  for (int at = 0; at < 10; ++at) out->numbers[at] = at + 1;
  for (int at = 0; at < 4; ++at) out->shifts[at] = at + 11;
  return success;
}

int cufftXtMalloc(int, Descriptor **out, int format) {
  allocated = static_cast<Descriptor *>(std::calloc(1, sizeof(Descriptor)));
  allocated->subFormat = format;
  return *out = allocated, success;
}
int cufftXtExecDescriptor(int, Descriptor *in, Descriptor *out, int) {
  return in == allocated && out == allocated ? ++in->version, success : invalid_value;
}
int cufftXtMemcpy(int, void *to, void *from, int type) {
  if (type == 0) return to == allocated ? std::memcpy(&allocated->libDescriptor, from, 8), success : invalid_value;
  return from == allocated ? std::memcpy(to, &allocated->libDescriptor, 8), success : invalid_value;
}
int cufftXtFree(Descriptor *one) { return one == allocated ? std::free(one), success : invalid_value; }

int cufftXtSetWorkArea(int, void **areas) {
  for (int at = 0; at < devices; ++at) std::memset(areas[at], at + 1, 4);
  return areas[devices] ? invalid_value : success;
}
int cufftXtSetWorkAreaPolicy(int, int policy, size_t *size) {
  if (policy == 1) *size -= 1;
  return size || policy != 1 ? success : invalid_value;
}
int cufftXtSetCallback(int, void **routine, int, void **info) {
  return *routine == reinterpret_cast<void *>(4096) && !info ? success : invalid_value;
}
}
