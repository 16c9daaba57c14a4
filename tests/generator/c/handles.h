/* Structs that only the library knows: made, used and freed through pointers. */
typedef struct box_s box;
typedef struct job *job;
struct plain;

int box_open(const char *name, box **out);
int box_size(const box *it, int *size);
void box_close(box *it);
typedef job task;
int same_job(job one, struct job *same);
int same_task(task one, task same);
struct plain *plain_new(int number);
int plain_number(const struct plain *it);
void plain_free(struct plain *it);
