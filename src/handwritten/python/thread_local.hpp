// Variables of a thread that are read on every call.
//
// The default way of a shared object calls the loader for the address (about 4 ns). glibc keeps some hundred
// bytes free in each thread's own block for objects that are loaded later, as these are: there the address
// is a constant away ("ELF Handling For Thread-Local Storage", initial exec). musl keeps none.
#pragma once

#include <features.h>

#ifdef __GLIBC__
#define PYGPU_QUICK_THREAD_LOCAL [[gnu::tls_model("initial-exec")]] thread_local
#else
#define PYGPU_QUICK_THREAD_LOCAL thread_local
#endif
