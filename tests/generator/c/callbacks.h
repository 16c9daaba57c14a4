/* Functions of functions. */
typedef int visit(int at, void *data);
typedef enum { GO_ON, STOP } verdict;
typedef verdict (*judge)(int at, void *data);
visit visit_twice;
int visit_all(int count, visit *each, void *data);
int judge_all(int count, judge each, void *data);
int callback_out(judge *out);
judge callback_given(void);
void (*callback_of(int which))(int, char);
typedef void (*any)(void);
typedef any **any_table;
int callback_table(any_table table);
