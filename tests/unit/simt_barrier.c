/* Barriers and shared memory. */
#include "simt_kit.h"

SITE(tile_site, "dev_shared", 11);
SITE(other_site, "dev_shared", 12);
SITE(barrier_site, "dev_barrier", 13);

typedef struct {
    uint32_t *out, rounds;
} reverse_params;

/* Each round reverses the block's values through shared memory. */
static void reverse(const void *params) {
    const reverse_params *p = params;
    const assay_simt_lane *s = assay_simt_self;
    uint32_t threads = s->block_dim[0], value = s->block_idx[0] * threads + s->thread;
    uint32_t *tile = assay_simt_shared("tile", threads * sizeof *tile, 4, &tile_site);
    for (uint32_t i = 0; i < p->rounds; i++) {
        tile[s->thread] = value;
        assay_simt_barrier(&barrier_site);
        value = tile[threads - 1 - s->thread];
        assay_simt_barrier(&barrier_site);
    }
    p->out[s->block_idx[0] * threads + s->thread] = value;
}

Test(simt_barrier, reverse_through_shared_memory) {
    static const uint32_t sizes[] = {1, 2, 31, 32, 33, 64, 100, 256, 1000, 1024};
    for (size_t k = 0; k < MEMBERS(sizes); k++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            uint32_t threads = sizes[k], blocks = 5;
            assay_simt *simt = make_simt(k % 2 == 0 ? "h200" : "mi300x", 2, seed);
            reverse_params p = {make_tensor(simt, "out", blocks * threads * 4), 3};
            run_ok(simt, reverse, &p, blocks, threads);
            for (uint32_t i = 0; i < blocks * threads; i++) {
                uint32_t block = i / threads;
                cr_assert_eq(p.out[i], block * threads + threads - 1 - i % threads,
                             "threads %u seed %d index %u", threads, (int)seed, i);
            }
            assay_simt_stats stats = assay_simt_last_stats(simt);
            cr_expect_eq(stats.barriers, blocks * p.rounds * 2);
            assay_simt_destroy(simt);
        }
}

/* Every switch but a block's first and its lanes' last is a wait; the last to arrive does not. */
Test(simt_barrier, one_switch_per_wait) {
    assay_simt *simt = make_simt("h200", 1, 0);
    reverse_params p = {make_tensor(simt, "out", 256 * 4), 3};
    run_ok(simt, reverse, &p, 1, 256);
    cr_expect_eq(assay_simt_last_stats(simt).switches, 1 + 6 * 255 + 256);
    assay_simt_destroy(simt);
}

typedef struct {
    uintptr_t *address; /* three per lane */
    _Atomic uint32_t *dirty;
} shared_params;

static void shared_places(const void *params) {
    const shared_params *p = params;
    const assay_simt_lane *s = assay_simt_self;
    unsigned char *tile = assay_simt_shared("tile", 100, 128, &tile_site);
    unsigned char *other = assay_simt_shared("other", 3, 1, &other_site);
    unsigned char *dynamic = assay_simt_shared_dynamic(&other_site);
    if (s->thread == 0) {
        for (int i = 0; i < 100; i++)
            if (tile[i] != 0xff) atomic_fetch_add(p->dirty, 1);
        for (int i = 0; i < 200; i++)
            if (dynamic[i] != 0xff) atomic_fetch_add(p->dirty, 1);
    }
    assay_simt_barrier(&barrier_site);
    tile[s->thread] = other[0] = other[2] = dynamic[s->thread] = 1;
    uintptr_t *address = p->address + 3 * s->thread;
    address[0] = (uintptr_t)tile;
    address[1] = (uintptr_t)other;
    address[2] = (uintptr_t)dynamic;
}

Test(simt_barrier, shared_arrays_are_fresh_apart_and_the_same_for_all) {
    assay_simt *simt = make_simt("h200", 1, 0);
    shared_params p = {make_tensor(simt, "address", 3 * 64 * sizeof(uintptr_t)),
                       make_tensor(simt, "dirty", 4)};
    atomic_init(p.dirty, 0);
    assay_simt_launch launch = make_launch(shared_places, &p, 3, 64);
    launch.geometry.shared_bytes = 200;
    cr_assert_eq(assay_simt_run(simt, &launch), ASSAY_OK, "%s", assay_last_error());
    cr_expect_eq(atomic_load(p.dirty), 0, "0xff before each block");
    for (int i = 3; i < 3 * 64; i++) cr_assert_eq(p.address[i], p.address[i % 3]);
    cr_expect_eq(p.address[0] % 128, 0);
    cr_expect_eq(p.address[2] % 16, 0);
    cr_expect_geq(p.address[1], p.address[0] + 100 + 64, "a red zone between them");
    cr_expect_geq(p.address[2], p.address[1] + 3 + 64);
    assay_simt_destroy(simt);
}

/* One line of a template asks for arrays of two types. */
static void one_line_two_types(const void *params) {
    void **out = *(void **const *)params;
    out[0] = assay_simt_shared("tile", 64, 4, &tile_site);
    out[1] = assay_simt_shared("tile", 128, 4, &tile_site);
    out[2] = assay_simt_shared("tile", 64, 8, &tile_site);
    out[3] = assay_simt_shared("tile", 64, 4, &tile_site);
}

Test(simt_barrier, arrays_of_one_line_differ_by_type) {
    assay_simt *simt = make_simt("h200", 1, 0);
    void **out = make_tensor(simt, "out", 4 * sizeof *out);
    run_ok(simt, one_line_two_types, &out, 1, 1);
    cr_expect_neq(out[0], out[1]);
    cr_expect_neq(out[0], out[2]);
    cr_expect_eq(out[0], out[3]);
    assay_simt_destroy(simt);
}
