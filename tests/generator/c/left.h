/* What no other language can pass: left out by name. */
#include <stdarg.h>
typedef float left4 __attribute__((vector_size(16)));
struct left_vector { left4 v; };
int left_log(const char *format, ...);
int left_vlog(const char *format, va_list list);
left4 left_by_value(left4 v);
int left_struct(struct left_vector v);
__int128 left_wide(void);
extern int left_counter;
extern const char *left_names[];
int left_none(void);
