/* Names that Python or C++ keeps, and names that meet. */
enum keywords { keyword_class, True_, lambda, mro };
struct from { int in; int lambda_; int class; int new; int __class__; int cls; };
int from(struct from *from, int lambda, int lambda_, int None, int self);
int template(int class, int new, int this, int errno_, int status, int api);
int address(int checked);
int checked(int address);
struct Text { int a; };
int list_add(struct Text *Text, struct Text *other);
int import(void);
typedef struct pass_st *pass;
struct passes { pass one; pass two[2]; };
int of_passes(const struct passes *from);
int outputs(int *namespace /**< [out] */, int *new /**< [out] */, int namespace_);
