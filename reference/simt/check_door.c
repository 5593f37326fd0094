/* Accesses that the executor makes in a lane's name: the device layer's atomics, matrix rows,
 * asynchronous copies. They stand at the caller's site, not at a PC.
 */
#include "check_access.h"

/* A key for a site where a PC would be: no address in user space has the top bit. */
static const void *key(const assay_simt_site *site) {
    const uint64_t mixed = simt_order_mix((uintptr_t)site->file ^ (uint64_t)site->line << 48) ^
                           simt_order_mix((uintptr_t)site->operation);
    return (const void *)(uintptr_t)(mixed | UINT64_C(1) << 63);
}

void simt_check_door(simt_check *check, const simt_lane *lane, const void *address, size_t bytes,
                     simt_access kind, const assay_simt_site *site) {
    const assay_simt_lane *running = assay_simt_self;
    const void *pc = key(site);
    simt_check_know(check, pc, site->operation, site->file, site->line);
    assay_simt_self = &lane->self; /* whom findings and counts are about */
    simt_check_access((uintptr_t)address, bytes, kind, (bytes & (bytes - 1)) == 0, pc);
    assay_simt_self = running;
}

/* A copy to shared memory begins: the source is read at some time from now on, the destination
 * written; until the copy's end nobody may count on either. */
void simt_check_copy_begin(simt_check *check, const simt_lane *lane, const void *destination,
                           size_t bytes, const void *source, size_t valid,
                           const assay_simt_site *site) {
    if (valid > 0) simt_check_door(check, lane, source, valid, SIMT_READ, site);
    simt_check_door(check, lane, destination, bytes, SIMT_WRITE, site);
    memset(check->shared_state + ((uintptr_t)destination - check->shared), SIMT_ADDRESSABLE, bytes);
}

/* It ends, in the lane that began it: the bytes may have been written as late as now. */
void simt_check_copy_end(simt_check *check, const simt_lane *lane, const void *destination,
                         size_t bytes, const assay_simt_site *site) {
    const bool counting = check->counting;
    check->counting = false; /* it was one access, counted when it began */
    simt_check_door(check, lane, destination, bytes, SIMT_WRITE, site);
    check->counting = counting;
}

void assay_simt_atomic_access(assay_simt_atomic kind, const void *address, size_t bytes,
                              const assay_simt_site *site) {
    static const simt_access kinds[] = {[ASSAY_SIMT_ATOMIC_LOAD] = SIMT_ATOMIC_READ,
                                        [ASSAY_SIMT_ATOMIC_STORE] = SIMT_ATOMIC_WRITE,
                                        [ASSAY_SIMT_ATOMIC_UPDATE] = SIMT_ATOMIC_UPDATE};
    simt_check *check = simt_check_here;
    check->atomic_target = NULL;
    simt_check_door(check, simt_self(), address, bytes, kinds[kind], site);
    check->atomic_target = address;
}
