/* What a chip would refuse to launch. */
#include "simt_kit.h"

static void nothing(const void *params) { (void)params; }

static void expect_refused(const char *chip, const assay_geometry *geometry, const char *text) {
    assay_simt *simt = make_simt(chip, 1, 0);
    assay_simt_launch launch = {"kernel<bf16>", nothing, NULL, *geometry};
    EXPECT_REFUSED(simt, &launch, "kernel<bf16>: grid (", chip, text);
    assay_simt_destroy(simt);
}

Test(simt_limits, blocks) {
    const char *big = "the block has more than 1024 threads";
    expect_refused("h200", &(assay_geometry){{1, 1, 1}, {1025, 1, 1}, 0}, big);
    expect_refused("h200", &(assay_geometry){{1, 1, 1}, {32, 33, 1}, 0}, big);
    expect_refused("mi300x", &(assay_geometry){{1, 1, 1}, {65536, 65536, 65536}, 0}, big);
    expect_refused("mi300x", &(assay_geometry){{1, 1, 1}, {1u << 31, 1u << 31, 4}, 0}, big);
    expect_refused("h200", &(assay_geometry){{1, 1, 1}, {1, 1, 65}, 0}, "z dimension exceeds 64");
    expect_refused("h200", &(assay_geometry){{1, 1, 1}, {32, 0, 1}, 0}, "a block dimension is 0");
}

Test(simt_limits, grids) {
    expect_refused("h200", &(assay_geometry){{0, 1, 1}, {32, 1, 1}, 0}, "a grid dimension is 0");
    expect_refused("h200", &(assay_geometry){{1, 1, 0}, {32, 1, 1}, 0}, "a grid dimension is 0");
    expect_refused("h200", &(assay_geometry){{2147483648u, 1, 1}, {32, 1, 1}, 0},
                   "the grid's x dimension exceeds 2147483647");
    expect_refused("h200", &(assay_geometry){{1, 65536, 1}, {32, 1, 1}, 0},
                   "y or z dimension exceeds 65535");
    expect_refused("mi300x", &(assay_geometry){{1 << 22, 1, 1}, {1024, 1, 1}, 0},
                   "the grid has more than 4294967295 threads");
    expect_refused("mi300x", &(assay_geometry){{1u << 31, 1u << 31, 1u << 31}, {1, 1, 1}, 0},
                   "exceeds 2147483647");
    expect_refused("mi300x", &(assay_geometry){{1, 1u << 31, 1u << 31}, {1, 1, 1}, 0},
                   "the grid has more than");
    expect_refused("mi300x", &(assay_geometry){{1 << 30, 1 << 30, 16}, {1, 1, 1}, 0},
                   "the grid has more than");
}

Test(simt_limits, dynamic_shared_memory) {
    expect_refused("h200", &(assay_geometry){{1, 1, 1}, {32, 1, 1}, 227 * 1024 + 1},
                   "232449 bytes of dynamic shared memory exceed the limit of 232448");
    expect_refused("mi300x", &(assay_geometry){{1, 1, 1}, {32, 1, 1}, SIZE_MAX}, "limit of 65536");
}

static void static_shared(const void *params) {
    SITE(first, "dev_shared", 60);
    SITE(second, "dev_shared", 61);
    const size_t *bytes = params;
    memset(assay_simt_shared("a", bytes[0], 16, &first), 0, bytes[0]);
    memset(assay_simt_shared("b", bytes[1], 16, &second), 0, bytes[1]);
}

Test(simt_limits, static_shared_memory) {
    assay_simt *simt = make_simt("mi300x", 1, 0);
    size_t fits[2] = {1000, 65536 - 1008 - 512}, over[2] = {1000, 65536 - 1008 - 511};
    size_t huge[2] = {16, SIZE_MAX - 8};
    assay_simt_launch launch = make_launch(static_shared, fits, 2, 64);
    launch.geometry.shared_bytes = 512;
    cr_expect_eq(assay_simt_run(simt, &launch), ASSAY_OK, "%s", assay_last_error());
    launch.params = over;
    EXPECT_KERNEL_ERROR(simt, &launch, "block (0,0,0) lane thread (0,0,0)",
                        "dev_shared at kernel.cu:61: shared array \"b\" of 64017 bytes",
                        "with 1000 static and 512 dynamic bytes the block exceeds the 65536 that "
                        "mi300x allows");
    launch.params = huge;
    EXPECT_KERNEL_ERROR(simt, &launch, "shared array \"b\"", "exceeds the 65536");
    assay_simt_destroy(simt);
}

static void misaligned_shared(const void *params) {
    SITE(site, "dev_shared", 62);
    (void)params;
    assay_simt_shared("a", 16, 24, &site);
}

static void too_many_arrays(const void *params) {
    (void)params;
    static assay_simt_site site[100];
    for (int i = 0; i < 100; i++) {
        site[i] = (assay_simt_site){"dev_shared", "many.cu", i + 1};
        assay_simt_shared("a", 4, 4, &site[i]);
    }
}

Test(simt_limits, shared_arrays) {
    assay_simt *simt = make_simt("h200", 1, 0);
    assay_simt_launch launch = make_launch(misaligned_shared, NULL, 1, 1);
    EXPECT_KERNEL_ERROR(simt, &launch, "dev_shared at kernel.cu:62", "alignment 24");
    launch.entry = too_many_arrays;
    EXPECT_KERNEL_ERROR(simt, &launch, "dev_shared at many.cu:64",
                        "more than 63 shared arrays in one kernel");
    assay_simt_destroy(simt);
}

Test(simt_limits, a_chip_with_a_strange_warp) {
    assay_chip strange = *assay_chip_find("h200");
    strange.warp_size = 16;
    assay_simt *simt = make_simt("h200", 1, 0);
    assay_simt_launch launch = make_launch(nothing, NULL, 1, 32);
    assay_simt_set_chip(simt, &strange);
    cr_expect_eq(assay_simt_run(simt, &launch), ASSAY_ERR_ARGUMENT);
    cr_expect(strstr(assay_last_error(), "warp size is neither 32 nor 64") != NULL);
    assay_simt_set_chip(simt, NULL);
    expect_sound(simt);
    assay_simt_destroy(simt);
}

/* Every helper thread dies with its executor, and many executors can live at once. */
Test(simt_limits, executors_are_independent) {
    assay_simt *simt[8];
    for (size_t i = 0; i < MEMBERS(simt); i++) simt[i] = make_simt(i % 2 ? "h200" : "mi300x", 2, i);
    for (size_t i = 0; i < MEMBERS(simt); i++) expect_sound(simt[i]);
    for (size_t i = 0; i < MEMBERS(simt); i++) assay_simt_destroy(simt[i]);
}
