// C's assert.h for device code. NVRTC has assert() itself. Each include follows NDEBUG.
#ifdef NDEBUG
#undef assert
#define assert(condition) ((void)0)
#elif !defined(assert)
#define assert(condition)                                                                                    \
    ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
