// Preloaded by starved.py: refuses requests of the host runtime for memory and threads, and of nothing else.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <link.h>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" void *__libc_malloc(std::size_t);
extern "C" void *__libc_memalign(std::size_t, std::size_t);

namespace {

// The code of a library.
struct Code {
    const char *name;
    std::atomic<std::uintptr_t> begin{0}, end{0};

    bool includes(const void *address) const {
        const auto at = reinterpret_cast<std::uintptr_t>(address);
        return at >= begin && at < end;
    }
};

std::atomic<long> first{0}, last{0}, seen{0}, refused{0};
Code host{"libpygpu_host"}, of_cpp{"libstdc++"};

int find_code(dl_phdr_info *info, std::size_t, void *) {
    for (Code *code : {&host, &of_cpp}) {
        if (!std::strstr(info->dlpi_name, code->name)) continue;
        for (int index = 0; index < info->dlpi_phnum; ++index) {
            const auto &part = info->dlpi_phdr[index];
            if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
            code->begin = info->dlpi_addr + part.p_vaddr;
            code->end = code->begin + part.p_memsz;
        }
    }
    return 0;
}

bool refuse() {
    if (!first) return false;
    const long number = ++seen;
    if (number < first || (last && number > last)) return false;
    ++refused;
    return true;
}

// Whether a request from there is the host runtime's, and is to be refused.
bool refuse(const void *from) { return host.includes(from) && refuse(); }

} // namespace

// From now on the requests from the one number to the other are refused; 0 as the last: all; 0 as the first:
// none. Returns how many were since the last call.
extern "C" long starve(long from, long to) {
    dl_iterate_phdr(find_code, nullptr);
    first = 0;
    const long before = refused.exchange(0);
    seen = 0;
    last = to;
    first = from;
    return before;
}

void *operator new(std::size_t size) {
    if (refuse(__builtin_return_address(0))) throw std::bad_alloc();
    if (void *memory = __libc_malloc(size ? size : 1)) return memory;
    throw std::bad_alloc();
}

void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }

extern "C" void *malloc(std::size_t size) {
    if (refuse(__builtin_return_address(0))) return errno = ENOMEM, nullptr;
    return __libc_malloc(size);
}

extern "C" int posix_memalign(void **memory, std::size_t alignment, std::size_t size) {
    if (refuse(__builtin_return_address(0))) return ENOMEM;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

extern "C" void *mmap(void *at, std::size_t size, int protection, int flags, int file, off_t offset) {
    if (refuse(__builtin_return_address(0))) return errno = ENOMEM, MAP_FAILED;
    return reinterpret_cast<void *>(syscall(SYS_mmap, at, size, protection, flags, file, offset));
}

// The C++ library asks for the host runtime's threads.
extern "C" int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                              void *argument) {
    using Create = int(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    static auto *create = reinterpret_cast<Create *>(dlsym(RTLD_NEXT, "pthread_create"));
    const void *from = __builtin_return_address(0);
    const bool ours = host.includes(from) || of_cpp.includes(from);
    return ours && refuse() ? EAGAIN : create(thread, how, run, argument);
}
