// What CUDA's runtime had in another form before release 12. Programs of that time ask for it by the version
// of its symbols; for all others the function of libpygpu_host.so serves.
#define PYGPU_EXPORT extern "C" __attribute__((visibility("default")))

extern "C" int cudaGetDriverEntryPointByVersion(const char *, void **, unsigned, unsigned long long, int *);
extern "C" int cudaGetDriverEntryPointByVersion_ptsz(const char *, void **, unsigned, unsigned long long,
                                                     int *);

namespace {

constexpr unsigned release = 11080;
constexpr int not_found = 500;

// Without a fourth parameter the status says whether there is the function (cuda_runtime_api.h of CUDA 11.8).
template <class Call>
int with_status(Call call, const char *symbol, void **function, unsigned long long flags) {
    const int status = call(symbol, function, release, flags, nullptr);
    return status == 0 && !*function ? not_found : status;
}

} // namespace

PYGPU_EXPORT int cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags) {
    return with_status(cudaGetDriverEntryPointByVersion, symbol, function, flags);
}

PYGPU_EXPORT int cudaGetDriverEntryPoint_ptsz(const char *symbol, void **function, unsigned long long flags) {
    return with_status(cudaGetDriverEntryPointByVersion_ptsz, symbol, function, flags);
}
