// The list of registered functions.
#include "code/registered.hpp"

#include "common/demangled.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

namespace pygpu::host {
namespace {

struct List {
    std::mutex mutex;
    std::vector<std::shared_ptr<Registered>> searched; // launches search these; the latest is last
    std::vector<std::weak_ptr<Registered>> living;     // also those that only queued launches hold
};

List &list() {
    static auto *all = new List; // never destroyed: queued launches outlive main
    return *all;
}

Hook<void(long)> released;

// "add<float>" for "void add<float>(float)": the name alone, as one calls it.
std::string plain(const std::string &readable) {
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < readable.size(); ++at) {
        const char one = readable[at];
        depth += one == '<' ? 1 : one == '>' ? -1 : 0;
        if (depth) continue;
        if (one == ' ') begin = at + 1; // after what a template returns
        // "(anonymous namespace)::k(int)"
        if (one == '(' && !readable.compare(at, 11, "(anonymous ")) {
            at = std::min(readable.find(')', at), readable.size());
            continue;
        }
        if (one == '(') return readable.substr(begin, at - begin);
    }
    return readable;
}

} // namespace

Registered::~Registered() { released(number); }

long register_kernel(std::string name, KernelFunction *function, bool needs_types,
                     std::optional<Signature> parameters) {
    static std::atomic<long> last{0};
    const auto registered =
        std::make_shared<Registered>(++last, std::move(name), needs_types, std::move(parameters));
    registered->function.set(function);
    List &all = list();
    std::lock_guard lock(all.mutex);
    std::erase_if(all.living, [](const std::weak_ptr<Registered> &one) { return one.expired(); });
    all.living.push_back(registered);
    all.searched.push_back(registered);
    return registered->number;
}

bool unregister_kernel(long number) {
    std::shared_ptr<Registered> gone; // outlives the lock: its destructor calls the user's function
    List &all = list();
    std::lock_guard lock(all.mutex);
    const auto entry = std::ranges::find(all.searched, number, &Registered::number);
    if (entry == all.searched.end()) return false;
    gone = std::move(*entry);
    all.searched.erase(entry);
    return true;
}

void set_released(void (*to)(long number)) { released.set(to); }

void end_kernels() {
    released.set(nullptr);
    std::vector<std::shared_ptr<Registered>> ending;
    {
        List &all = list();
        std::lock_guard lock(all.mutex);
        for (const std::weak_ptr<Registered> &one : all.living) ending.push_back(one.lock());
        all.searched.clear();
    }
    for (const std::shared_ptr<Registered> &one : ending) {
        if (one) one->function.set(nullptr);
    }
}

std::shared_ptr<Registered> registered_for(const std::string &kernel) {
    const std::string whole = demangled(kernel), name = plain(whole);
    List &all = list();
    std::lock_guard lock(all.mutex);
    for (auto one = all.searched.rbegin(); one != all.searched.rend(); ++one) {
        const std::string &own_name = (*one)->name;
        if (own_name == kernel || own_name == name || own_name == whole) return *one;
    }
    return nullptr;
}

} // namespace pygpu::host
