/* Guarded device memory of the GPU back ends, over a runtime made of host memory: what a stray
 * write of a kernel on a chip looks like, and that no error of a runtime is lost. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "backend_gpu.h"

/* The fake runtime: `broken` counts down to the call that fails; live counts what was not freed. */
static int broken, blocks, events, streams;

static int step(void) { return broken > 0 && --broken == 0 ? 7 : 0; }

static int fake_malloc(void **pointer, size_t bytes) {
    if (step()) return 7;
    *pointer = malloc(bytes);
    blocks++;
    return 0;
}
static int fake_free(void *pointer) {
    if (step()) return 7;
    free(pointer);
    blocks--;
    return 0;
}
static int fake_copy(void *to, const void *from, size_t bytes, void *stream) {
    cr_expect_eq(stream, &streams);
    if (step()) return 7;
    memcpy(to, from, bytes);
    return 0;
}
static int fake_fill(void *to, int byte, size_t bytes, void *stream) {
    cr_expect_eq(stream, &streams);
    if (step()) return 7;
    memset(to, byte, bytes);
    return 0;
}
static int fake_stream(void *stream) {
    cr_expect_eq(stream, &streams);
    return step();
}
static int fake_destroy_stream(void *stream) {
    cr_expect_eq(stream, &streams);
    streams--;
    return 0;
}
static int fake_create_event(void **event) {
    if (step()) return 7;
    *event = &events;
    events++;
    return 0;
}
static int fake_destroy_event(void *event) {
    (void)event;
    events--;
    return 0;
}
static int fake_record(void *event, void *stream) {
    (void)event;
    cr_expect_eq(stream, &streams);
    return step();
}
static int fake_elapsed(float *ms, void *start, void *stop) {
    (void)start, (void)stop;
    *ms = 0.25f;
    return step();
}
static const char *fake_text(int error) { return error == 7 ? "it is broken" : "?"; }

static const gpu_runtime fake = {
    .name = "fake",
    .malloc = fake_malloc,
    .free = fake_free,
    .to_device = fake_copy,
    .to_host = fake_copy,
    .on_device = fake_copy,
    .fill = fake_fill,
    .sync = fake_stream,
    .destroy_stream = fake_destroy_stream,
    .create_event = fake_create_event,
    .destroy_event = fake_destroy_event,
    .record = fake_record,
    .elapsed_ms = fake_elapsed,
    .text = fake_text,
};

static assay_device open_device(void) {
    assay_device d;
    broken = blocks = events = 0;
    streams = 1;
    cr_assert_eq(assay_gpu_device(&fake, ASSAY_CUDA, assay_chip_find("h200"), &streams, &d),
                 ASSAY_OK);
    return d;
}

static unsigned char *allocate(assay_device *d, size_t bytes, size_t offset) {
    void *p;
    cr_assert_eq(d->alloc(d, "x", bytes, offset, &p), ASSAY_OK, "%s", assay_last_error());
    return p;
}

Test(backend_gpu, memory_is_where_it_should_be_and_copies_round) {
    assay_device d = open_device();
    static const size_t offsets[] = {0, 2, 16, 255, 256, 258};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        unsigned char *p = allocate(&d, 300, offsets[i]), back[300], in[300];
        cr_expect_eq((uintptr_t)p % 256, offsets[i] % 256);
        for (int k = 0; k < 300; k++) in[k] = (unsigned char)(k * 7 + (int)i);
        cr_expect_eq(d.upload(&d, p, in, 300), ASSAY_OK);
        cr_expect_eq(d.download(&d, back, p, 300), ASSAY_OK);
        cr_expect_arr_eq(back, in, 300);
        cr_expect_eq(d.fill(&d, p, 9, 300), ASSAY_OK);
        cr_expect_eq(d.download(&d, back, p, 300), ASSAY_OK);
        cr_expect_eq(back[299], 9);
    }
    cr_expect_eq(d.check_guards(&d), ASSAY_OK);
    unsigned char *a = allocate(&d, 4, 0), *b = allocate(&d, 4, 0), got[4];
    cr_expect_eq(d.upload(&d, a, "abcd", 4), ASSAY_OK);
    cr_expect_eq(d.copy(&d, b, a, 4), ASSAY_OK);
    cr_expect_eq(d.download(&d, got, b, 4), ASSAY_OK);
    cr_expect_arr_eq(got, "abcd", 4);
    d.close(&d);
    cr_expect_eq(blocks, 0);
    cr_expect_eq(streams, 0);
}

Test(backend_gpu, a_write_on_either_side_is_found) {
    static const ptrdiff_t strays[] = {-1, -512, 100, 100 + 255};
    for (size_t i = 0; i < sizeof strays / sizeof strays[0]; i++) {
        assay_device d = open_device();
        unsigned char *p = allocate(&d, 100, 0);
        p[strays[i]] ^= 1;
        cr_expect_eq(d.check_guards(&d), ASSAY_ERR_KERNEL, "byte %td", strays[i]);
        const char *side = strays[i] < 0 ? "before \"x\" (100 bytes)" : "after \"x\" (100 bytes)";
        cr_expect(strstr(assay_last_error(), side), "%s", assay_last_error());
        p[strays[i]] ^= 1;
        cr_expect_eq(d.check_guards(&d), ASSAY_OK);
        d.close(&d);
    }
}

Test(backend_gpu, slots_are_counted_and_used_again) {
    assay_device d = open_device();
    void *p[GPU_ALLOCATIONS], *more;
    for (int i = 0; i < GPU_ALLOCATIONS; i++) p[i] = allocate(&d, 8, 0);
    cr_expect_eq(d.alloc(&d, "y", 8, 0, &more), ASSAY_ERR_INTERNAL);
    cr_expect_eq(blocks, GPU_ALLOCATIONS);
    cr_expect_eq(d.release(&d, p[5]), ASSAY_OK);
    cr_expect_eq(d.release(&d, p[5]), ASSAY_ERR_INTERNAL);
    cr_expect_eq(blocks, GPU_ALLOCATIONS - 1);
    cr_expect_eq(d.alloc(&d, "y", 8, 0, &more), ASSAY_OK);
    d.close(&d);
    cr_expect_eq(blocks, 0);
}

Test(backend_gpu, nothing_to_move_asks_the_runtime_nothing) {
    assay_device d = open_device();
    unsigned char *p = allocate(&d, 0, 0);
    broken = 1;
    cr_expect_eq(d.upload(&d, p, NULL, 0), ASSAY_OK);
    cr_expect_eq(d.download(&d, NULL, p, 0), ASSAY_OK);
    cr_expect_eq(d.fill(&d, p, 1, 0), ASSAY_OK);
    cr_expect_eq(broken, 1);
    broken = 0;
    d.close(&d);
}

Test(backend_gpu, the_timer_counts_in_microseconds_and_reuses_its_events) {
    assay_device d = open_device();
    for (int i = 0; i < 3; i++) {
        double us = 0;
        cr_expect_eq(d.timer_start(&d), ASSAY_OK);
        cr_expect_eq(d.timer_stop(&d, &us), ASSAY_OK);
        cr_expect_eq(us, 250.0);
        cr_expect_eq(events, 2);
    }
    d.close(&d);
    cr_expect_eq(events, 0);
}

/* Everything that can fail, in order, until the runtime's nth call was not reached. */
static assay_status use(assay_device *d) {
    void *p;
    double us;
    unsigned char bytes[16] = {0};
    assay_status s = d->alloc(d, "x", 16, 0, &p);
    if (!s) s = d->upload(d, p, bytes, 16);
    if (!s) s = d->copy(d, p, p, 16);
    if (!s) s = d->timer_start(d);
    if (!s) s = d->timer_stop(d, &us);
    if (!s) s = d->sync(d);
    if (!s) s = d->download(d, bytes, p, 16);
    if (!s) s = d->check_guards(d);
    if (!s) s = d->release(d, p);
    return s;
}

Test(backend_gpu, every_error_of_the_runtime_is_told) {
    int calls = 0;
    for (;; calls++) {
        assay_device d = open_device();
        broken = calls + 1;
        const assay_status status = use(&d);
        const bool reached = broken == 0;
        broken = 0;
        d.close(&d);
        if (!reached) {
            cr_expect_eq(status, ASSAY_OK);
            break;
        }
        cr_expect_eq(status, ASSAY_ERR_DEVICE, "call %d", calls);
        cr_expect(strstr(assay_last_error(), "failed: it is broken"), "%s", assay_last_error());
    }
    cr_expect_geq(calls, 15, "only %d calls were made", calls);
}
