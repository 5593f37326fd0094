/* The operands of one case: dense host copies, and how they lie in device memory. */
#ifndef ASSAY_HARNESS_OPERANDS_H
#define ASSAY_HARNESS_OPERANDS_H

#include "backend.h"
#include "hash.h"
#include "op.h"

typedef struct assay_operands {
    assay_tensor tensors[ASSAY_MAX_TENSORS];
    size_t count;
    void *dense[ASSAY_MAX_TENSORS]; /* host, row-major; NULL where absent or output */
} assay_operands;

/* Describes and generates the case's inputs. */
assay_status assay_operands_create(const assay_case *c, assay_operands *out);
void assay_operands_free(assay_operands *o);

/* The operands of `part`, which is units first.. of `whole`: batched inputs are cut from the
 * whole's dense copies, the others copied whole. */
assay_status assay_operands_slice(const assay_operands *whole, const assay_case *part,
                                  int64_t first, assay_operands *out);

/* Digests of the present inputs, and of the outputs in `out` (NULL elsewhere). */
void assay_hash_launch(const assay_operands *o, void *const *out, char inputs[ASSAY_HASH_TEXT],
                       char outputs[ASSAY_HASH_TEXT]);

/* Bytes of a dense copy; never 0, so that it can be allocated. */
size_t assay_tensor_bytes(const assay_tensor *t);

/* Device copies of all operands during one launch. */
typedef struct assay_placement {
    void *device[ASSAY_MAX_TENSORS];
    int poison; /* the byte in every output element and every gap between rows */
} assay_placement;

assay_status assay_place(assay_device *device, const assay_operands *o, int poison,
                         assay_placement *p);
void assay_unplace(assay_device *device, const assay_operands *o, assay_placement *p);

/* Reads tensor i back as a dense copy. */
assay_status assay_fetch(assay_device *device, const assay_operands *o, const assay_placement *p,
                         size_t i, void *dense);

/* Gaps between the rows of every tensor still hold the poison. ERR_KERNEL says which do not. */
assay_status assay_check_gaps(assay_device *device, const assay_operands *o,
                              const assay_placement *p);

#endif
