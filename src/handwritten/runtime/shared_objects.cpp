// Reading the dynamic linker's list.
#include "runtime/shared_objects.hpp"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>

namespace pygpu {

std::vector<std::string> loaded_objects() {
    std::vector<std::string> paths;
    dl_iterate_phdr(
        [](dl_phdr_info *info, std::size_t, void *listed) {
            if (info->dlpi_name && *info->dlpi_name) {
                static_cast<std::vector<std::string> *>(listed)->emplace_back(info->dlpi_name);
            }
            return 0;
        },
        &paths);
    return paths;
}

std::vector<std::string> search_folders() {
    std::vector<std::string> folders;
#ifdef __GLIBC__
    void *program = dlopen(nullptr, RTLD_NOW);
    Dl_serinfo size;
    if (program && !dlinfo(program, RTLD_DI_SERINFOSIZE, &size)) {
        // The struct has a tail of unknown size: reserve the size that dlinfo() asks for, aligned for the
        // struct.
        std::vector<Dl_serinfo> room(size.dls_size / sizeof size + 1, size);
        if (!dlinfo(program, RTLD_DI_SERINFO, room.data())) {
            const Dl_serpath *known = room.front().dls_serpath;
            for (unsigned at = 0; at < size.dls_cnt; ++at) folders.emplace_back(known[at].dls_name);
        }
    }
    if (program) dlclose(program);
#endif
    return folders;
}

unsigned long long loaded_generation() {
    unsigned long long generation = 0;
    dl_iterate_phdr(
        [](dl_phdr_info *info, std::size_t, void *count) {
            *static_cast<unsigned long long *>(count) = info->dlpi_adds;
            return 1;
        },
        &generation);
    return generation;
}

PyObject *path_to_python(const std::string &path) {
    return PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size()));
}

std::string soname_of(void *handle) {
    link_map *map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) || !map) return "";
    const char *strings = nullptr;
    ElfW(Addr) offset = 0;
    bool named = false;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char *>(entry->d_un.d_ptr);
        if (entry->d_tag == DT_SONAME) {
            offset = entry->d_un.d_val;
            named = true;
        }
    }
    return named && strings ? strings + offset : "";
}

std::string path_of(void *handle) {
    link_map *map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) || !map || !map->l_name) return "";
    char resolved[PATH_MAX];
    return realpath(map->l_name, resolved) ? resolved : map->l_name;
}

} // namespace pygpu
