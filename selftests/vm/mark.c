// SPDX-License-Identifier: GPL-2.0
/*
 * mark: have functions.c write what the guest has executed since the last mark
 */
#include <sys/mman.h>

#define FUNCTIONS_MARK	0x4b5450560000
#define RETURN		0xc3

int main(void)
{
	unsigned char *page = mmap((void *)FUNCTIONS_MARK, 4096,
				   PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
				   -1, 0);

	if (page == MAP_FAILED)
		return 1;
	page[0] = RETURN;
	((void (*)(void))FUNCTIONS_MARK)();
	return 0;
}
