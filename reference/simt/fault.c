/* Signals raised by a lane: an access outside what is mapped, a stack overflow, an integer division
 * that x86 traps. The handler runs on the worker's alternate stack, words the error and jumps to
 * the worker's own stack, never to return. Anything that is not a lane's goes to the handler
 * before.
 *
 * Handlers are installed while at least one launch runs in the process, and only then.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include "internal.h"

#if SIMT_ASAN
#include <sanitizer/asan_interface.h>
#endif

enum { ALTSTACK = 64 * 1024 };

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned launches;
static struct sigaction previous[SIGNALS];

static const char *verb(const void *context) {
#if defined(__x86_64__)
    const ucontext_t *machine = context;
    return (machine->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? "write" : "read";
#else
    (void)context;
    return "read or write";
#endif
}

static _Noreturn void report_access(const simt_lane *lane, const siginfo_t *info,
                                    const void *context) {
    const simt_worker *worker = lane->worker;
    uintptr_t address = (uintptr_t)info->si_addr;
    char text[200];
    if (simt_stacks_guard_holds(&worker->stacks, address))
        simt_fail(lane, NULL, "stack overflow: a lane has %d KiB of stack", SIMT_STACK_KIB);
    /* x86 tells no address when it is not canonical. */
    if (info->si_signo == SIGSEGV && info->si_code > SEGV_ACCERR && info->si_addr == NULL)
        simt_fail(lane, NULL, "access to an address that belongs to no allocation");
    if (address < 65536)
        simt_fail(lane, NULL, "%s through a null pointer (address 0x%zx)", verb(context),
                  (size_t)address);
    if (simt_shared_locate(&worker->shared, address, text, sizeof text) ||
        simt_arena_locate(&worker->simt->arena, address, text, sizeof text))
        simt_fail(lane, NULL, "%s %s", verb(context), text);
    simt_fail(lane, NULL, "%s: address 0x%zx belongs to no allocation", verb(context),
              (size_t)address);
}

static void chain(int signal, siginfo_t *info, void *context) {
    const struct sigaction *before = NULL;
    for (unsigned i = 0; i < SIGNALS; i++)
        if (signals[i] == signal) before = &previous[i];
    if (before == NULL) return;
    if ((before->sa_flags & SA_SIGINFO) != 0) {
        before->sa_sigaction(signal, info, context);
    } else if (before->sa_handler == SIG_DFL || before->sa_handler == SIG_IGN) {
        /* Back to the faulting instruction, this time with the default action. */
        struct sigaction standard = {.sa_handler = SIG_DFL};
        sigaction(signal, &standard, NULL);
        if (info->si_code <= 0) raise(signal);
    } else {
        before->sa_handler(signal);
    }
}

static void handle(int signal, siginfo_t *info, void *context) {
    const simt_lane *lane = simt_self();
    if (lane == NULL || info->si_code <= 0) { /* sent by a process, not raised by the lane */
        chain(signal, info, context);
        return;
    }
    if (signal == SIGFPE)
        simt_fail(lane, NULL, "integer division by zero, or a quotient that overflows");
    if (signal == SIGILL)
        simt_fail(lane, NULL, "illegal instruction: code the compiler took to be unreachable");
    report_access(lane, info, context);
}

void simt_fault_install(void) {
    pthread_mutex_lock(&install_lock);
    if (launches++ == 0) {
        /* Not deferred: the handler is left by a jump, which restores no signal mask. */
        struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
        ours.sa_sigaction = handle;
        sigemptyset(&ours.sa_mask);
        for (unsigned i = 0; i < SIGNALS; i++) sigaction(signals[i], &ours, &previous[i]);
    }
    pthread_mutex_unlock(&install_lock);
}

void simt_fault_remove(void) {
    pthread_mutex_lock(&install_lock);
    if (--launches == 0)
        for (unsigned i = 0; i < SIGNALS; i++) sigaction(signals[i], &previous[i], NULL);
    pthread_mutex_unlock(&install_lock);
}

/* The alternate stack belongs to the thread: a caller gets its own back after the launch. */
bool simt_altstack_enter(simt_altstack *alt) {
    if (alt->own == NULL) alt->own = malloc(ALTSTACK);
    if (alt->own == NULL) return false;
#if SIMT_ASAN
    /* A handler that jumped away left its frames poisoned. */
    __asan_unpoison_memory_region(alt->own, ALTSTACK);
#endif
    stack_t ours = {.ss_sp = alt->own, .ss_size = ALTSTACK}, before;
    if (sigaltstack(&ours, &before) != 0) return false;
    alt->previous_low = before.ss_sp;
    alt->previous_size = before.ss_size;
    alt->previous_flags = before.ss_flags;
    return true;
}

void simt_altstack_leave(const simt_altstack *alt) {
    stack_t before = {.ss_sp = alt->previous_low,
                      .ss_size = alt->previous_size,
                      .ss_flags = alt->previous_flags & SS_DISABLE};
    sigaltstack(&before, NULL);
}
