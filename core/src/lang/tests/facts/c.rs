//! C.

pub(super) const PATH: &str = "a.c";

pub(super) const TEXT: &str = r#"#include <linux/mm.h>
#include "local.h"
#define alias real_name
#define RUN(x, f) do { f(x); helper((x), 2); "s(t)"; (x)->ops->go(1); } while (0) /* no() */

struct ops;
static const struct file_operations fops = {
	.open = my_open,
	.flags = FLAG_A | FLAG_B,
};

static int my_open(struct inode *inode, int (*cb)(int value), u32 mode)
{
	struct page *page = alloc(GFP_KERNEL), *next;
	int local(void);

	for (int i = 0; i < MAX; i++)
		cb(i);
	page->ops->read(page, sizeof(struct inner));
	next = lookup(page->index, &table[mode], compare);
	global_count = RUN(1, lookup);
#ifdef CONFIG_X
	goto out;
#endif
out:
	return local() + (int)(word_t)mode;
}
"#;

pub(super) const EXPECTED: &str = r#"systeminclude linux/mm.h {} :1
localinclude local.h {} :2
alias = real_name
3 alias: read real_name,
4 RUN: call helper/2, call ? . go/1,
6 : type ops,
7 fops: type file_operations,
8 fops: read my_open,
9 fops: read FLAG_A, read FLAG_B,
12 my_open: type inode, type u32,
14 my_open: type page, call alloc/1, read GFP_KERNEL,
17 my_open: read MAX,
19 my_open: call @page.ops . read/2, type inner,
20 my_open: call lookup/3, read table, read compare,
21 my_open: write global_count, call RUN/2, read lookup,
22 my_open: read CONFIG_X,
26 my_open: call local/0, type word_t,
"#;
