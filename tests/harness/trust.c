#include "trust.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/formats.h"
#include "compare.h"

/* Units of one case that are looked at; kinds of data cycle within it. */
#define UNITS_EXAMINED 11

typedef struct trust_class {
    char key[ASSAY_CASE_LINE];
    uint64_t applicable, shown; /* bit per ablation */
} trust_class;

struct assay_trust {
    pthread_mutex_t lock;
    trust_class *classes;
    size_t count, capacity;
};

assay_trust *assay_trust_create(void) {
    assay_trust *trust = calloc(1, sizeof *trust);
    if (trust) pthread_mutex_init(&trust->lock, NULL);
    return trust;
}

void assay_trust_free(assay_trust *trust) {
    if (!trust) return;
    pthread_mutex_destroy(&trust->lock);
    free(trust->classes);
    free(trust);
}

static trust_class *find_class(const assay_trust *trust, const char *key) {
    for (size_t i = trust->count; i-- > 0;) /* cases of a class come together: newest first */
        if (strcmp(trust->classes[i].key, key) == 0) return &trust->classes[i];
    return NULL;
}

/* Under the lock: the class of `key`, made when new. NULL: no memory. */
static trust_class *get_class(assay_trust *trust, const char *key) {
    trust_class *found = find_class(trust, key);
    if (found) return found;
    if (trust->count == trust->capacity) {
        const size_t capacity = trust->capacity ? 2 * trust->capacity : 64;
        trust_class *grown = realloc(trust->classes, capacity * sizeof *grown);
        if (!grown) return NULL;
        trust->classes = grown;
        trust->capacity = capacity;
    }
    found = &trust->classes[trust->count++];
    memset(found, 0, sizeof *found);
    snprintf(found->key, sizeof found->key, "%s", key);
    return found;
}

static size_t output_index(const assay_operands *o) {
    for (size_t i = 0; i < o->count; i++)
        if (o->tensors[i].output) return i;
    return 0;
}

/* True when some value of the ablated unit lies outside its bounds. */
static bool shows(const assay_tensor *t, const double *ablated, const assay_bound *bounds,
                  int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!assay_accepts(t->dtype, assay_format_encode(t->dtype, ablated[i]), &bounds[i]))
            return true;
    return false;
}

/* Bits of `wanted` that unit `unit` shows. */
static assay_status examine_unit(const assay_case *c, const assay_operands *o, const char *contract,
                                 int64_t unit, uint64_t wanted, assay_bound *bounds,
                                 double *ablated, uint64_t *shown) {
    const size_t out = output_index(o);
    const assay_tensor *t = &o->tensors[out];
    const void *const *data = (const void *const *)o->dense;
    assay_status status = c->op->oracle(c, o->tensors, data, contract, out, unit, bounds);
    for (size_t a = 0; a < c->op->ablation_count && !status; a++) {
        const uint64_t bit = UINT64_C(1) << a;
        if (!(wanted & bit) || (*shown & bit)) continue;
        status = c->op->ablate(c, o->tensors, data, a, unit, ablated);
        if (!status && shows(t, ablated, bounds, assay_tensor_unit_size(t))) *shown |= bit;
    }
    return status;
}

assay_status assay_trust_examine(assay_trust *trust, const assay_case *c, const assay_operands *o,
                                 const char *contract) {
    char key[ASSAY_CASE_LINE];
    assay_case_format_without(c, c->op->class_ignores, key);
    uint64_t applicable = 0;
    for (size_t a = 0; a < c->op->ablation_count; a++)
        if (c->op->ablation_applies(c, a)) applicable |= UINT64_C(1) << a;

    const assay_tensor *t = &o->tensors[output_index(o)];
    const int64_t units = assay_tensor_units(t), size = assay_tensor_unit_size(t);
    if (units == 0 || size <= 0) return ASSAY_OK;

    pthread_mutex_lock(&trust->lock);
    trust_class *class = get_class(trust, key);
    uint64_t wanted = 0;
    if (class) {
        class->applicable |= applicable;
        wanted = applicable & ~class->shown;
    }
    pthread_mutex_unlock(&trust->lock);
    if (!class) return assay_fail(ASSAY_ERR_MEMORY, "no memory for a class of cases");
    if (!wanted) return ASSAY_OK;

    assay_bound *bounds = malloc((size_t)size * sizeof *bounds);
    double *ablated = malloc((size_t)size * sizeof *ablated);
    assay_status status =
        bounds && ablated ? ASSAY_OK : assay_fail(ASSAY_ERR_MEMORY, "no memory for ablations");
    uint64_t shown = 0;
    for (int64_t unit = 0; unit < units && unit < UNITS_EXAMINED && !status; unit++)
        if (wanted & ~shown)
            status = examine_unit(c, o, contract, unit, wanted, bounds, ablated, &shown);
    free(bounds);
    free(ablated);

    pthread_mutex_lock(&trust->lock);
    class = get_class(trust, key);
    class->shown |= shown;
    pthread_mutex_unlock(&trust->lock);
    return status;
}

bool assay_trust_missing(const assay_trust *trust, const assay_case *c, char *names, size_t size) {
    char key[ASSAY_CASE_LINE];
    assay_case_format_without(c, c->op->class_ignores, key);
    const trust_class *class = find_class(trust, key);
    names[0] = '\0';
    if (!class) return false;
    const uint64_t missing = class->applicable & ~class->shown;
    size_t used = 0;
    for (size_t a = 0; a < c->op->ablation_count; a++) {
        if (!(missing >> a & 1) || used >= size) continue;
        const int n =
            snprintf(names + used, size - used, "%s%s", used ? ", " : "", c->op->ablation_name(a));
        used += n > 0 ? (size_t)n : 0;
    }
    return missing != 0;
}
