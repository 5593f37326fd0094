#include "digest_folder.h"

static size_t op_index(const assay_op *op) {
    size_t i = 0;
    while (i < assay_op_count() && assay_op_at(i) != op) i++;
    return i;
}

void digest_folder_add(digest_folder *d, const assay_result *r) {
    const size_t i = op_index(r->c.op);
    if (!d->folder || d->status || i >= DIGEST_OPS) return;
    if (!d->writers[i]) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.json", d->folder, r->c.op->name);
        d->status = assay_digests_start(path, r->c.op->name, d->chip, d->backend, &d->writers[i]);
        if (d->status) return;
    }
    assay_digests_row(d->writers[i], r);
}

assay_status digest_folder_finish(digest_folder *d, bool keep) {
    for (size_t i = 0; i < DIGEST_OPS; i++) {
        if (!d->writers[i]) continue;
        if (keep && !d->status)
            d->status = assay_digests_finish(d->writers[i]);
        else
            assay_digests_discard(d->writers[i]);
        d->writers[i] = NULL;
    }
    return d->status;
}
