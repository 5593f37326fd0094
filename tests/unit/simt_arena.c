/* Device memory. */
#include <sys/resource.h>

#include "simt_kit.h"

Test(simt_arena, addresses_keep_the_offset) {
    assay_simt *simt = make_simt("h200", 1, 0);
    static const size_t sizes[] = {0, 1, 2, 255, 256, 4096, 4097, 12288, 100000};
    for (size_t k = 0; k < MEMBERS(sizes); k++)
        for (size_t offset = 0; offset < 520; offset += offset < 20 ? 1 : 37) {
            void *pointer;
            cr_assert_eq(assay_simt_alloc(simt, "x", sizes[k], offset, &pointer), ASSAY_OK);
            cr_assert_eq((uintptr_t)pointer % 256, offset % 256);
            unsigned char *bytes = pointer;
            for (size_t i = 0; i < sizes[k]; i++) cr_assert_eq(bytes[i], 0xff, "poison");
            memset(pointer, 0, sizes[k]);
            cr_assert_eq(assay_simt_check_guards(simt), ASSAY_OK, "%s", assay_last_error());
            cr_assert_eq(assay_simt_free(simt, pointer), ASSAY_OK);
        }
    assay_simt_destroy(simt);
}

Test(simt_arena, allocations_are_apart_and_reused) {
    assay_simt *simt = make_simt("h200", 1, 0);
    enum { COUNT = 200 };
    char *pointer[COUNT];
    for (int i = 0; i < COUNT; i++) {
        pointer[i] = make_tensor(simt, "x", 1000 + (size_t)i * 100);
        memset(pointer[i], i, 1000 + (size_t)i * 100);
    }
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq((unsigned char)pointer[i][0], i);
        cr_assert_eq((unsigned char)pointer[i][999 + i * 100], i);
    }
    cr_expect_eq(assay_simt_check_guards(simt), ASSAY_OK);
    for (int i = 0; i < COUNT; i += 2) cr_assert_eq(assay_simt_free(simt, pointer[i]), ASSAY_OK);
    char *again = make_tensor(simt, "x", 1000);
    cr_expect_eq(again, pointer[0], "the first hole that is large enough");
    cr_expect_eq((unsigned char)again[999], 0xff);
    cr_expect_gt((char *)make_tensor(simt, "x", 512 << 10), pointer[COUNT - 1],
                 "no hole is that large");
    assay_simt_destroy(simt);
}

Test(simt_arena, free_knows_what_is_live) {
    assay_simt *simt = make_simt("h200", 1, 0);
    char *pointer = make_tensor(simt, "x", 100);
    cr_expect_eq(assay_simt_free(simt, NULL), ASSAY_OK);
    cr_expect_eq(assay_simt_free(simt, pointer + 1), ASSAY_ERR_ARGUMENT);
    cr_expect_eq(assay_simt_free(simt, pointer), ASSAY_OK);
    cr_expect_eq(assay_simt_free(simt, pointer), ASSAY_ERR_ARGUMENT);
    cr_expect(strstr(assay_last_error(), "is not a live allocation") != NULL);
    assay_simt_destroy(simt);
}

static void touch_ends(const void *params) {
    char *tensor = *(char *const *)params;
    tensor[0] = 1;
    tensor[((size_t)12 << 30) - 1] = 2;
}

/* A row stride of 2^30 elements: only the touched pages exist. */
Test(simt_arena, twelve_gib_cost_what_is_touched) {
    assay_simt *simt = make_simt("h200", 1, 0);
    for (int i = 0; i < 100; i++) {
        char *tensor = make_tensor(simt, "x", (size_t)12 << 30);
        cr_assert_eq(tensor[0], 0, "zero pages, also on reuse");
        cr_assert_eq(tensor[((size_t)12 << 30) - 1], 0);
        run_ok(simt, touch_ends, &tensor, 1, 1);
        cr_assert_eq(tensor[0] + tensor[((size_t)12 << 30) - 1], 3);
        cr_assert_eq(assay_simt_free(simt, tensor), ASSAY_OK);
        cr_assert_eq(assay_simt_free(simt, make_tensor(simt, "small", 5000)), ASSAY_OK);
    }
    assay_simt_destroy(simt);
}

Test(simt_arena, too_much_is_refused) {
    assay_simt_options options = {.host_threads = 1, .arena_bytes = (size_t)1 << 30};
    assay_simt *simt;
    cr_assert_eq(assay_simt_create(&options, &simt), ASSAY_OK);
    void *pointer = simt;
    static const size_t sizes[] = {(size_t)1 << 30, (size_t)1 << 50, SIZE_MAX, SIZE_MAX - 300};
    for (size_t i = 0; i < MEMBERS(sizes); i++) {
        cr_expect_eq(assay_simt_alloc(simt, "logits", sizes[i], 0, &pointer), ASSAY_ERR_MEMORY);
        cr_expect_null(pointer);
        cr_expect(strstr(assay_last_error(), "no room for \"logits\"") != NULL);
    }
    cr_expect_eq(assay_simt_alloc(simt, "x", (size_t)1000 << 20, 0, &pointer), ASSAY_OK);
    cr_expect_eq(assay_simt_alloc(simt, "y", (size_t)100 << 20, 0, &pointer), ASSAY_ERR_MEMORY);
    expect_sound(simt);
    assay_simt_destroy(simt);
}

/* With little address space the arena is smaller. (The address sanitizer needs terabytes.) */
Test(simt_arena, a_limit_on_address_space_makes_it_smaller) {
#if !KIT_ASAN
    struct rlimit limit = {(rlim_t)3 << 30, (rlim_t)3 << 30};
    cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
    assay_simt *simt = make_simt("h200", 2, 0);
    void *pointer;
    cr_expect_eq(assay_simt_alloc(simt, "x", (size_t)256 << 20, 0, &pointer), ASSAY_OK);
    cr_expect_eq(assay_simt_alloc(simt, "y", (size_t)3 << 30, 0, &pointer), ASSAY_ERR_MEMORY);
    expect_sound(simt);
    assay_simt_destroy(simt);
#endif
}

typedef struct {
    char *tensor;
    ptrdiff_t at;
} write_params;

static void write_at(const void *params) {
    const write_params *p = params;
    if (assay_simt_self->thread == 3) p->tensor[p->at] = 0;
}

Test(simt_arena, a_changed_guard_byte_is_found_after_the_launch) {
    static const struct {
        ptrdiff_t at;
        const char *text;
    } cases[] = {
        {1000, "write 0 bytes past the end of \"y\" (1000 bytes)"},
        {1063, "write 63 bytes past the end of \"y\" (1000 bytes)"},
        {-1, "write 1 bytes before the start of \"y\" (1000 bytes)"},
        {-64, "write 64 bytes before the start of \"y\" (1000 bytes)"},
    };
    assay_simt *simt = make_simt("h200", 1, 0);
    make_tensor(simt, "x", 1000);
    for (size_t i = 0; i < MEMBERS(cases); i++) {
        write_params p = {make_tensor(simt, "y", 1000), cases[i].at};
        make_tensor(simt, "z", 1000);
        assay_simt_launch launch = make_launch(write_at, &p, 1, 32);
        EXPECT_KERNEL_ERROR(simt, &launch, "kernel<bf16>: guard bytes changed", cases[i].text);
    }
    assay_simt_destroy(simt);
}

Test(simt_arena, the_host_can_ask_for_the_guards) {
    assay_simt *simt = make_simt("h200", 1, 0);
    char *tensor = make_tensor(simt, "y", 10);
    cr_expect_eq(assay_simt_check_guards(simt), ASSAY_OK);
    tensor[12] = 0;
    cr_expect_eq(assay_simt_check_guards(simt), ASSAY_ERR_KERNEL);
    cr_expect(strstr(assay_last_error(), "write 2 bytes past the end of \"y\" (10 bytes)") != NULL);
    cr_expect_eq(assay_simt_check_guards(simt), ASSAY_OK, "reported once");
    assay_simt_destroy(simt);
}
