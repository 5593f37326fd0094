/* What gcc's -fsanitize=thread calls before each plain load and store, and in place of each atomic
 * operation: the names are the compiler's, the runtime is ours, and libtsan is not linked. Calls
 * made outside a launch, or about addresses that are not device memory, do nothing.
 *
 * Below them the device layer's vector accesses, which the compiler is kept from seeing.
 */
#include "check_access.h"

#if !defined(__SANITIZE_THREAD__)

#define PC __builtin_return_address(0)

void __tsan_init(void);
void __tsan_init(void) {}
void __tsan_func_entry(const void *caller);
void __tsan_func_entry(const void *caller) { (void)caller; }
void __tsan_func_exit(void);
void __tsan_func_exit(void) {}

/* Most calls are about a lane's own stack: those must be short, so the rest is a call further on.
 */
#define ACCESS(name, bytes, kind, aligned)                                                         \
    static __attribute__((noinline)) void watched_##name(uintptr_t address, const void *pc) {      \
        simt_check_access(address, bytes, kind, aligned, pc);                                      \
    }                                                                                              \
    void __tsan_##name(void *address);                                                             \
    void __tsan_##name(void *address) {                                                            \
        if (simt_watched((uintptr_t)address)) watched_##name((uintptr_t)address, PC);              \
    }
#define WIDTH(bytes)                                                                               \
    ACCESS(read##bytes, bytes, SIMT_READ, true)                                                    \
    ACCESS(write##bytes, bytes, SIMT_WRITE, true)                                                  \
    ACCESS(unaligned_read##bytes, bytes, SIMT_READ, false)                                         \
    ACCESS(unaligned_write##bytes, bytes, SIMT_WRITE, false)
WIDTH(1)
WIDTH(2)
WIDTH(4)
WIDTH(8)
WIDTH(16)

/* Copies of structs, and packed members: a chip makes bytes or words of them, so of any address. */
void __tsan_read_range(void *address, size_t bytes);
void __tsan_read_range(void *address, size_t bytes) {
    if (bytes > 0) simt_check_access((uintptr_t)address, bytes, SIMT_READ, false, PC);
}
void __tsan_write_range(void *address, size_t bytes);
void __tsan_write_range(void *address, size_t bytes) {
    if (bytes > 0) simt_check_access((uintptr_t)address, bytes, SIMT_WRITE, false, PC);
}

void __tsan_vptr_update(void **address, void *value);
void __tsan_vptr_update(void **address, void *value) {
    (void)value;
    simt_check_access((uintptr_t)address, sizeof *address, SIMT_WRITE, true, PC);
}
void __tsan_vptr_read(void **address);
void __tsan_vptr_read(void **address) {
    simt_check_access((uintptr_t)address, sizeof *address, SIMT_READ, true, PC);
}

/* An atomic of the device layer has been checked already, at its own source line (check_door.c). */
static inline __attribute__((always_inline)) void atomic(const volatile void *address, size_t bytes,
                                                         simt_access kind, const void *pc) {
    if (simt_check_here->atomic_target == address) return;
    simt_check_access((uintptr_t)address, bytes, kind, true, pc);
}

#define UPDATE(bits, operation, builtin)                                                           \
    uint##bits##_t __tsan_atomic##bits##_##operation(volatile uint##bits##_t *address,             \
                                                     uint##bits##_t value, int order);             \
    uint##bits##_t __tsan_atomic##bits##_##operation(volatile uint##bits##_t *address,             \
                                                     uint##bits##_t value, int order) {            \
        (void)order;                                                                               \
        atomic(address, bits / 8, SIMT_ATOMIC_UPDATE, PC);                                         \
        return builtin(address, value, __ATOMIC_SEQ_CST);                                          \
    }
#define COMPARE(bits, strength, weak)                                                              \
    int __tsan_atomic##bits##_compare_exchange_##strength(                                         \
        volatile uint##bits##_t *address, uint##bits##_t *expected, uint##bits##_t desired,        \
        int order, int otherwise);                                                                 \
    int __tsan_atomic##bits##_compare_exchange_##strength(                                         \
        volatile uint##bits##_t *address, uint##bits##_t *expected, uint##bits##_t desired,        \
        int order, int otherwise) {                                                                \
        (void)order, (void)otherwise;                                                              \
        atomic(address, bits / 8, SIMT_ATOMIC_UPDATE, PC);                                         \
        return __atomic_compare_exchange_n(address, expected, desired, weak, __ATOMIC_SEQ_CST,     \
                                           __ATOMIC_SEQ_CST);                                      \
    }
#define ATOMICS(bits)                                                                              \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *address, int order);  \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *address, int order) { \
        (void)order;                                                                               \
        atomic(address, bits / 8, SIMT_ATOMIC_READ, PC);                                           \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                         \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *address, uint##bits##_t value,       \
                                     int order);                                                   \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *address, uint##bits##_t value,       \
                                     int order) {                                                  \
        (void)order;                                                                               \
        atomic(address, bits / 8, SIMT_ATOMIC_WRITE, PC);                                          \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                        \
    }                                                                                              \
    UPDATE(bits, exchange, __atomic_exchange_n)                                                    \
    UPDATE(bits, fetch_add, __atomic_fetch_add)                                                    \
    UPDATE(bits, fetch_sub, __atomic_fetch_sub)                                                    \
    UPDATE(bits, fetch_and, __atomic_fetch_and)                                                    \
    UPDATE(bits, fetch_or, __atomic_fetch_or)                                                      \
    UPDATE(bits, fetch_xor, __atomic_fetch_xor)                                                    \
    UPDATE(bits, fetch_nand, __atomic_fetch_nand)                                                  \
    COMPARE(bits, strong, false)                                                                   \
    COMPARE(bits, weak, true)
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order) {
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order) { (void)order; }

/* ---- The device layer's vectors -------------------------------------------------------------- */

assay_simt_16 assay_simt_load_16(const void *address, const char *operation, const char *file,
                                 int line) {
    simt_check_know(simt_check_here, PC, operation, file, line);
    simt_check_access((uintptr_t)address, 16, SIMT_READ, true, PC);
    assay_simt_16 value;
    memcpy(&value, address, sizeof value);
    return value;
}

void assay_simt_store_16(void *address, assay_simt_16 value, const char *operation,
                         const char *file, int line) {
    simt_check_know(simt_check_here, PC, operation, file, line);
    simt_check_access((uintptr_t)address, 16, SIMT_WRITE, true, PC);
    memcpy(address, &value, sizeof value);
}

#endif
