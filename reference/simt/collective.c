/* The general collective, on top of the rendezvous of warp.c. */
#include <inttypes.h>

#include "collective.h"

/* One lane's call; its address travels as the operation's value. */
typedef struct call {
    simt_combine *combine;
    uint32_t detail;
    const void *in;
    void *out;
} call;

void simt_collective(simt_combine *combine, uint32_t detail, uint64_t mask, const void *in,
                     void *out, const assay_simt_site *site) {
    const call mine = {combine, detail, in, out};
    assay_simt_warp(SIMT_COLLECTIVE, mask, (uint64_t)(uintptr_t)&mine, 0,
                    assay_simt_self->warp_size, site);
}

void simt_collect(simt_warp *warp, const simt_group *group) {
    simt_gathered gathered = {.warp = warp, .site = group->site, .mask = group->mask};
    const call *first = (const call *)(uintptr_t)warp->value[simt_lowest(group->mask)];
    gathered.detail = first->detail;
    for (uint64_t rest = group->mask; rest != 0; rest &= rest - 1) {
        const uint32_t lane = simt_lowest(rest);
        const call *one = (const call *)(uintptr_t)warp->value[lane];
        /* A template has one line and many instances: the site alone does not tell them apart. */
        if (one->combine != first->combine || one->detail != first->detail)
            simt_fail(&warp->lane[lane], group->site,
                      "called with another shape or type than lane %u of the mask 0x%" PRIx64,
                      simt_lowest(group->mask), group->mask);
        gathered.in[lane] = one->in;
        gathered.out[lane] = one->out;
    }
    first->combine(&gathered);
}
