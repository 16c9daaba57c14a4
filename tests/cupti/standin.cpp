// What the tests need of CUPTI 13.5: records in the caller's buffers, given back on a thread of its own, and callbacks.
// The real library gives none without a GPU. Texts are overwritten once C no longer lends them.
#include <cstdint>
#include <cstring>
#include <ctime>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using Request = void (*)(uint8_t **buffer, size_t *size, size_t *most);
using Complete = void (*)(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);
using Called = void (*)(void *data, int domain, uint32_t id, const void *lent);
enum { MEMCPY = 1, MEMSET = 2, RUNTIME = 5, CONCURRENT_KERNEL = 10, MEMCPY2 = 22, UNKNOWN = 77 };

Request request;
Complete complete;
uint64_t (*now)();
uint64_t first_time;
bool enabled[100], on[8];
size_t dropped, pool_limit = 250;
std::vector<std::vector<uint8_t>> waiting;
char kernel_name[] = "saxpy(float, float *)";

size_t size_of(int kind) {
  return kind == MEMCPY ? 112 : kind == MEMSET ? 104 : kind == RUNTIME ? 40 : kind == CONCURRENT_KERNEL ? 248
       : kind == MEMCPY2 ? 96 : kind == UNKNOWN ? 16 : 0;
}
template <class T> void put(std::vector<uint8_t> &record, size_t offset, T value) {
  std::memcpy(&record[offset], &value, sizeof value);
}
std::vector<uint8_t> record_of(int kind) {
  std::vector<uint8_t> record(size_of(kind));
  put(record, 0, kind);
  return record;
}
void keep(const std::vector<uint8_t> &record) {
  int kind;
  std::memcpy(&kind, record.data(), sizeof kind);
  if (enabled[kind]) waiting.push_back(record);
}

struct Subscriber {
  Called function;
  void *data;
};
Subscriber *subscriber;
std::set<std::pair<unsigned, uint32_t>> called_back; // functions that are on one by one

struct CallbackData {
  int site;
  const char *function;
  const void *parameters;
  void *result;
  const char *symbol;
  void *context;
  uint32_t context_id;
  uint64_t *shared;
  uint32_t correlation;
};
static_assert(sizeof(CallbackData) == 72);

struct Parameters {
  size_t size;
  const char *name;
  char *old_name;
  size_t old_size;
  uint8_t several, padding[7];
};
std::string subscriber_name;

} // namespace

extern "C" {

// One launch and one copy, which the program has made.
void standin_work() {
  auto api = record_of(RUNTIME);
  put(api, 4, uint32_t(211)), put(api, 8, uint64_t(1000)), put(api, 16, uint64_t(1500)), put(api, 32, uint32_t(7));
  keep(api);
  auto kernel = record_of(CONCURRENT_KERNEL);
  kernel[4] = 0x21; // cacheConfig: requested 1, executed 2
  put(kernel, 16, uint64_t(2000)), put(kernel, 24, uint64_t(2600)), put(kernel, 48, uint32_t(9));
  put(kernel, 52, int32_t(4)), put(kernel, 64, int32_t(256)), put(kernel, 92, uint32_t(7));
  put(kernel, 104, static_cast<const char *>(kernel_name)), put(kernel, 240, uint64_t(1) << 40);
  keep(kernel);
  auto copy = record_of(MEMCPY);
  copy[4] = 1; // copyKind: to the device
  put(copy, 8, uint64_t(4096)), put(copy, 16, now ? now() : 0);
  keep(copy);
  keep(record_of(UNKNOWN));
}
// What a function of the runtime does in a thread of the program.
void standin_call(int domain, const char *function, const char *symbol) {
  std::thread([&] {
    std::string name = symbol ? symbol : "";
    uint64_t shared = 0;
    int status = 35;
    for (int site = 0; site < 2; ++site) {
      if (!subscriber || !on[domain]) return;
      CallbackData data{site, function, nullptr, &status, symbol ? name.c_str() : nullptr, nullptr, 3, &shared, 42};
      struct { void *context, *stream; } sync{nullptr, reinterpret_cast<void *>(0x5000)};
      subscriber->function(subscriber->data, domain, 211,
                           domain == 4 ? static_cast<const void *>(&sync) : domain < 3 ? &data : nullptr);
      std::memset(&data, 0xee, sizeof data), std::memset(&sync, 0xee, sizeof sync);
    }
    name.assign(name.size(), '#');
  }).join();
}
// What a function does that calls back on the thread of its caller.
void standin_enter(unsigned domain, uint32_t id, uint32_t correlation) {
  for (int site = 0; site < 2; ++site) {
    CallbackData data{site, "", nullptr, nullptr, nullptr, nullptr, 1, nullptr, correlation};
    if (subscriber && called_back.count({domain, id})) subscriber->function(subscriber->data, domain, id, &data);
  }
}
// A kernel, copy or set that has run on stream 9.
void standin_ran(int kind, uint32_t correlation, uint64_t start, uint64_t end, uint64_t bytes) {
  auto record = record_of(kind);
  const bool is_kernel = kind == CONCURRENT_KERNEL;
  put(record, 16, start), put(record, 24, end), put(record, is_kernel ? 44 : 36, uint32_t(1));
  put(record, is_kernel ? 48 : 40, uint32_t(9)), put(record, is_kernel ? 92 : kind == MEMCPY2 ? 60 : 44, correlation);
  if (is_kernel) put(record, 104, "_Z5saxpyfPf");
  else put(record, 8, bytes);
  if (kind == MEMCPY) record[4] = 2; // to the host
  if (kind == MEMCPY2) record[4] = 10;
  keep(record);
}
int standin_subscribers() { return subscriber != nullptr; }
const char *standin_name() { return subscriber_name.c_str(); }

int cuptiGetVersion(uint32_t *version) { return *version = 130500, 0; }
int cuptiActivityGetStructSize(int kind, uint32_t, size_t *size) { return *size = size_of(kind), *size ? 0 : 21; }
int cuptiGetErrorMessage(int status, const char **text) {
  *text = status == 12 ? "no more records" : status == 7 ? "an invalid operation" : nullptr;
  return *text ? 0 : 1;
}
int cuptiActivityRegisterCallbacks(Request first, Complete second) {
  if (!first || !second) return 1;
  return request = first, complete = second, 0;
}
// It asks for the time at once; a time of 0 is refused, and the former function stays.
int cuptiActivityRegisterTimestampCallback(uint64_t (*function)()) {
  first_time = function ? function() : 1;
  return first_time ? (now = function, 0) : 1;
}
uint64_t standin_first_time() { return first_time; }
uint64_t standin_now() { return now(); }
int cuptiActivityEnable(unsigned kind) { return kind < 100 ? (enabled[kind] = true, 0) : 21; }
int cuptiActivityDisable(unsigned kind) { return kind < 100 ? (enabled[kind] = false, 0) : 21; }
int cuptiActivityFlushAll(uint32_t) {
  if (!request) return 7;
  std::thread([] {
    for (size_t next = 0; next < waiting.size();) {
      uint8_t *buffer;
      size_t size, most, used = 0;
      request(&buffer, &size, &most);
      if (!buffer || size < waiting[next].size()) {
        ++dropped, ++next;
        if (buffer) complete(nullptr, 0, buffer, size, 0);
        continue;
      }
      for (size_t count = 0; next < waiting.size() && (!most || count < most); ++count, ++next) {
        if (used + waiting[next].size() > size) break;
        std::memcpy(buffer + used, waiting[next].data(), waiting[next].size());
        used += waiting[next].size();
      }
      std::memset(buffer + used, 0xee, size - used);
      complete(nullptr, 0, buffer, size, used);
    }
    waiting.clear();
  }).join();
  return 0;
}
void standin_forget_names() { std::memset(kernel_name, '#', sizeof kernel_name - 1); }
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record) {
  uint8_t *next = buffer;
  if (*record) {
    int kind;
    std::memcpy(&kind, *record, sizeof kind);
    next = *record + size_of(kind);
  }
  if (next >= buffer + valid) return 12;
  return *record = next, 0;
}
int cuptiActivityGetNumDroppedRecords(void *, uint32_t, size_t *count) { return *count = dropped, dropped = 0; }
int cuptiActivityGetAttribute(int attribute, size_t *size, void *value) {
  if (attribute != 2 || *size != sizeof pool_limit) return 1;
  return std::memcpy(value, &pool_limit, sizeof pool_limit), 0;
}
int cuptiActivitySetAttribute(int attribute, size_t *size, const void *value) {
  if (attribute != 2 || *size != sizeof pool_limit) return 1;
  return std::memcpy(&pool_limit, value, sizeof pool_limit), 0;
}

int cuptiSubscribe(Subscriber **out, Called function, void *data) {
  if (subscriber) return 39;
  return *out = subscriber = new Subscriber{function, data}, 0;
}
int cuptiSubscribe_v2(Subscriber **out, Called function, void *data, Parameters *parameters) {
  if (parameters && parameters->size != sizeof *parameters) return 1;
  if (parameters && parameters->name) subscriber_name = parameters->name;
  if (subscriber && parameters && parameters->old_name)
    std::strncpy(parameters->old_name, "another", parameters->old_size);
  return cuptiSubscribe(out, function, data);
}
int cuptiUnsubscribe(Subscriber *one) {
  if (one != subscriber) return 1;
  called_back.clear();
  return delete one, subscriber = nullptr, 0;
}
int cuptiEnableCallback(uint32_t enable, Subscriber *one, unsigned domain, uint32_t id) {
  if (one != subscriber) return 1;
  return enable ? called_back.insert({domain, id}), 0 : (called_back.erase({domain, id}), 0);
}
int cuptiGetTimestamp(uint64_t *time) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return *time = uint64_t(now.tv_sec) * 1000000000 + uint64_t(now.tv_nsec), 0;
}
int cuptiEnableDomain(uint32_t enable, Subscriber *one, unsigned domain) {
  return one == subscriber && domain < 8 ? (on[domain] = enable, 0) : 1;
}
}
