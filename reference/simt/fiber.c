/* Stacks and the switches between them: Boost.Context's fcontext, which is callable from C.
 *
 * A worker reserves one slot per lane a block may have. A slot is a guard, which faults on stack
 * overflow, and a stack. Initial stack pointers are staggered over a page: without that the same
 * frame of every lane would fall into the same few cache sets.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "internal.h"

#if SIMT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

/* Boost ships these for C++ only; the functions themselves have C linkage. */
typedef struct transfer {
    void *context; /* of whoever jumped here */
    void *data;
} transfer;
transfer jump_fcontext(void *to, void *data);
void *make_fcontext(void *top, size_t size, void (*entry)(transfer));

enum { STACK = SIMT_STACK_KIB * 1024, GUARD = 16 * 1024, SLOT = STACK + GUARD, STAGGER = 128 };

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

bool simt_stacks_create(simt_stacks *stacks) {
    void *base = mmap(NULL, (size_t)SLOT * SIMT_MAX_LANES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (base == MAP_FAILED) return false;
    stacks->base = base;
    return true;
}

void simt_stacks_destroy(simt_stacks *stacks) {
    if (stacks->base != NULL) munmap(stacks->base, (size_t)SLOT * SIMT_MAX_LANES);
    stacks->base = NULL;
}

/* The block was ended from outside: its fibers stand in the middle of lanes. */
void simt_stacks_abandon(simt_stacks *stacks) {
    stacks->idle_count = 0;
    for (uint32_t i = stacks->made; i-- > 0;) {
        stacks->fiber[i].context = NULL;
        stacks->idle[stacks->idle_count++] = &stacks->fiber[i];
    }
#if SIMT_ASAN
    for (uint32_t i = 0; i < stacks->made; i++)
        __asan_unpoison_memory_region(stacks->base + (size_t)i * SLOT + GUARD, STACK);
#endif
}

bool simt_stacks_guard_holds(const simt_stacks *stacks, uintptr_t address) {
    uintptr_t base = (uintptr_t)stacks->base;
    return address >= base && address - base < (uintptr_t)SLOT * stacks->made &&
           (address - base) % SLOT < GUARD;
}

/* First on this stack: record where the previous one stands, then tell the sanitizer. */
static void arrive(transfer from, void *fake) {
    simt_fiber *previous = from.data;
    if (previous != NULL) previous->context = from.context;
#if SIMT_ASAN
    const void *low;
    size_t size;
    __sanitizer_finish_switch_fiber(fake, &low, &size);
    if (previous != NULL) {
        previous->low = low;
        previous->size = size;
    }
#else
    (void)fake;
#endif
}

static void enter(transfer from) {
    arrive(from, NULL);
    simt_fiber_main();
}

static bool make(simt_stacks *stacks, simt_fiber *fiber, uint32_t index) {
    char *slot = stacks->base + (size_t)index * SLOT;
    /* A guard without a mapping of its own, where the kernel has that (6.13): a thousand lanes on
     * each of many host threads would otherwise come near vm.max_map_count. */
    if (index == stacks->made) {
        if (madvise(slot, GUARD, MADV_GUARD_INSTALL) != 0 && mprotect(slot, GUARD, PROT_NONE) != 0)
            return false;
        stacks->made++;
    }
    size_t stagger = (size_t)index * STAGGER % 4096;
    fiber->low = slot + GUARD;
    fiber->size = STACK;
    fiber->fake = NULL;
    fiber->context = make_fcontext(slot + SLOT - stagger, STACK - stagger, enter);
    return true;
}

simt_fiber *simt_fiber_take(simt_stacks *stacks) {
    if (stacks->idle_count > 0) {
        simt_fiber *fiber = stacks->idle[--stacks->idle_count];
        if (fiber->context == NULL) make(stacks, fiber, (uint32_t)(fiber - stacks->fiber));
        return fiber;
    }
    simt_fiber *fiber = &stacks->fiber[stacks->made];
    return make(stacks, fiber, stacks->made) ? fiber : NULL;
}

void simt_fiber_switch(simt_fiber *from, simt_fiber *to) {
#if SIMT_ASAN
    __sanitizer_start_switch_fiber(&from->fake, to->low, to->size);
#endif
    transfer back = jump_fcontext(to->context, from);
    arrive(back, from->fake);
}

/* As a switch, from a stack that is given up: also out of a signal handler. */
void simt_fiber_leave(simt_fiber *from, simt_fiber *to) {
    (void)from;
#if SIMT_ASAN
    __sanitizer_start_switch_fiber(NULL, to->low, to->size);
#endif
    jump_fcontext(to->context, NULL);
    __builtin_unreachable();
}
