/* Bounds, alignment and what was never written: every width and kind of access, in global and in
 * shared memory, found at its own line under every schedule. */
#include "checked_kit.h"

/* "read of 4 bytes", and the line. */
static void texts_of(int hook, char *what, char *line, size_t size) {
    const char *verb = hook_kind[hook] == 'r'   ? "read"
                       : hook_kind[hook] == 'w' ? "write"
                       : hook_kind[hook] == 'l' ? "atomic read"
                       : hook_kind[hook] == 's' ? "atomic write"
                                                : "atomic update";
    snprintf(what, size, "%s of %zu bytes", verb, hook_bytes[hook]);
    snprintf(line, size, " at checked_kernels.cu:%d: ", line_of(hook_name[hook]));
}

static const char lane[] = "one: block (2,0,0) lane thread (37,0,0) [warp 1 lane 5]: ";

/* Every hook at one address: found with its line, lane and `text`; or clean when `text` is NULL. */
static void every_hook(kit *k, char *at, bool (*wrong)(int hook), const char *text) {
    char what[64], line[64];
    k->params.at = at;
    k->params.block = 2;
    k->params.thread = 37;
    for (int hook = 0; hook < HOOK_COUNT; hook++) {
        k->params.first = hook;
        if (wrong != NULL && !wrong(hook)) {
            kit_clean(k, CHECKED_ONE, 1);
            continue;
        }
        texts_of(hook, what, line, sizeof what);
        EXPECT_FOUND(k, CHECKED_ONE, lane, what, line, text);
    }
}

static bool none(int hook) { return hook < 0; }

static kit tensors(char **x) {
    kit k = kit_make(4, 64);
    *x = kit_alloc(&k, "x", 4096, 0);
    memset(*x, 0, 4096);
    return k;
}

Test(checked_access, past_the_end_within_the_guard_bytes) {
    char *x;
    kit k = tensors(&x);
    kit_declare(&k, x, 4, 8, 128, 128, true);
    every_hook(&k, x + 4096, NULL, "0 bytes past the end of \"x\" (4096 bytes)");
    assay_simt_destroy(k.simt);
}

Test(checked_access, before_the_start_and_far_away) {
    char *x;
    kit k = tensors(&x);
    every_hook(&k, x - 48, NULL, "48 bytes before the start of \"x\" (4096 bytes)");
    every_hook(&k, x + 4096 + 8192, NULL, "8192 bytes past the end of \"x\"");
    assay_simt_destroy(k.simt);
}

/* The last element is there, the bytes behind it are not. */
static bool wider_than_one(int hook) { return hook_bytes[hook] > 1; }
Test(checked_access, half_inside) {
    char *x;
    kit k = kit_make(4, 64);
    x = kit_alloc(&k, "x", 4096 + 1, 0);
    memset(x, 0, 4097);
    every_hook(&k, x + 4096, wider_than_one, "its byte 1 is 0 bytes past the end of \"x\"");
    assay_simt_destroy(k.simt);
}

Test(checked_access, gap_between_rows) {
    char *x;
    kit k = tensors(&x);
    kit_declare(&k, x, 4, 4, 200, 256, true);
    every_hook(&k, x + 4 * 512 + 4 * 200, NULL,
               "in the gap behind a row of \"x\" (200 columns), at [2, 200]");
    every_hook(&k, x + 4 * 512 + 4 * 192, none, "");
    assay_simt_destroy(k.simt);
}

Test(checked_access, after_its_release) {
    char *x;
    kit k = tensors(&x);
    cr_assert_eq(assay_simt_free(k.simt, x), ASSAY_OK);
    every_hook(&k, x + 64, NULL, "64 bytes into \"x\" (4096 bytes), which has been freed");
    assay_simt_destroy(k.simt);
}

Test(checked_access, misaligned) {
    char *x, text[64];
    kit k = tensors(&x);
    kit_declare(&k, x, 4, 8, 128, 128, true);
    snprintf(text, sizeof text, "misaligned by 1 bytes: \"x\" element [1, 4]");
    every_hook(&k, x + 4 * 132 + 1, hook_aligned, text);
    assay_simt_destroy(k.simt);
}

Test(checked_access, never_written) {
    char *x;
    kit k = tensors(&x);
    for (int hook = 0; hook < HOOK_COUNT; hook++) {
        char what[64], line[64];
        kit_declare(&k, x, 4, 8, 128, 128, false);
        k.params.at = x + 4 * 132;
        k.params.block = 2;
        k.params.thread = 37;
        k.params.first = hook;
        if (!hook_reads(hook)) {
            kit_clean(&k, CHECKED_ONE, 1); /* and from now on it is written */
            for (int reader = 0; reader < HOOK_COUNT; reader++) {
                k.params.first = reader;
                if (hook_reads(reader) && hook_bytes[reader] <= hook_bytes[hook])
                    kit_clean(&k, CHECKED_ONE, 1);
            }
            continue;
        }
        texts_of(hook, what, line, sizeof what);
        EXPECT_FOUND(&k, CHECKED_ONE, lane, what, line, "\"x\" element [1, 4] was never written");
    }
    assay_simt_destroy(k.simt);
}

/* An array of 8 words of 8 bytes, of which 4 are written, in zones of 64 bytes. */
Test(checked_access, shared) {
    static const struct {
        int64_t offset;
        bool (*wrong)(int hook);
        const char *text;
    } cases[] = {
        {64, NULL, "0 bytes past the end of shared array \"array\" (64 bytes)"},
        {64 + 32, NULL, "32 bytes past the end of shared array"},
        {-16, NULL, "16 bytes before the start of shared array \"array\" (64 bytes)"},
        {100000, NULL, "past the end of shared array \"array\" (64 bytes)"},
        {1, hook_aligned, "misaligned by 1 bytes: byte 1 of shared array \"array\""},
        {32, hook_reads, "byte 32 of shared array \"array\" was never written"},
        {0, none, ""},
    };
    kit k = kit_make(3, 64);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        k.params.offset = cases[i].offset;
        k.params.thread = 37;
        for (int hook = 0; hook < HOOK_COUNT; hook++) {
            char what[64], line[64];
            k.params.first = hook;
            if (cases[i].wrong != NULL && !cases[i].wrong(hook)) {
                kit_clean(&k, CHECKED_SHARED_ONE, 3);
                continue;
            }
            texts_of(hook, what, line, sizeof what);
            EXPECT_FOUND(&k, CHECKED_SHARED_ONE, "[warp 1 lane 5]: ", what, line, cases[i].text);
        }
    }
    assay_simt_destroy(k.simt);
}
