/* The .npy reader and writer: hostile files, both orders, round trips, cuts and flips. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "npy_hostile.h"
#include "npy_internal.h"

/* A folder per test; Criterion runs each in a process of its own. */
static char folder[64];

static void open_folder(void) {
    strcpy(folder, "/tmp/assay-npy-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static const char *in_folder(const char *name) {
    static char path[2][256];
    static int turn;
    turn ^= 1;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static int entries(void) {
    int count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; (entry = readdir(dir));) count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void close_folder(void) {
    DIR *dir = opendir(folder);
    for (struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] != '.') unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
    rmdir(folder);
}

TestSuite(npy, .timeout = 20, .init = open_folder, .fini = close_folder);

static const char *write_file(const char *name, const void *bytes, size_t size) {
    const char *path = in_folder(name);
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
    return path;
}

/* Magic, version, length, header and `data` bytes 1, 2, 3, ... in `file`; the total size. */
static size_t assemble(int version, const char *header, size_t length, bool newline, size_t data,
                       unsigned char file[1024]) {
    size_t n = 0, total = length + newline;
    memcpy(file, "\x93NUMPY", n = 6);
    file[n++] = (unsigned char)version;
    file[n++] = 0;
    for (int i = 0; i < (version == 1 ? 2 : 4); i++) file[n++] = (unsigned char)(total >> (8 * i));
    memcpy(file + n, header, length);
    n += length;
    if (newline) file[n++] = '\n';
    for (size_t i = 0; i < data; i++) file[n++] = (unsigned char)(i + 1);
    return n;
}

static size_t sample(unsigned char file[1024]) {
    static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   ";
    return assemble(1, header, strlen(header), true, 24, file);
}

/* Parses from a heap block of exactly that size, so that ASan sees a read past it. */
static assay_status parse_exactly(const unsigned char *bytes, size_t size, assay_npy_header *out) {
    unsigned char *block = malloc(size ? size : 1);
    memcpy(block, bytes, size);
    assay_status status = assay_npy_parse("f.npy", block, size, size, out);
    free(block);
    return status;
}

Test(npy, hostile_files_are_refused_by_field_and_offset) {
    cr_assert_geq(npy_hostile_count, 40);
    for (size_t i = 0; i < npy_hostile_count; i++) {
        const npy_hostile *h = &npy_hostiles[i];
        unsigned char file[1024];
        size_t size = h->raw_size;
        if (h->header)
            size = assemble(h->version ? h->version : 1, h->header,
                            h->header_size ? h->header_size : strlen(h->header), !h->bare, h->data,
                            file);
        else
            memcpy(file, h->raw, size);
        assay_npy npy;
        const char *path = write_file("hostile.npy", file, size);
        assay_status status = assay_npy_load(path, &npy);
        const char *message = assay_last_error();
        cr_expect_eq(status, ASSAY_ERR_FORMAT, "%s: status %s", h->what, assay_status_name(status));
        char begin[512];
        snprintf(begin, sizeof begin, "%s: %s", path, h->where);
        cr_expect(strncmp(message, begin, strlen(begin)) == 0, "%s:\n  said %s\n  want %s", h->what,
                  message, begin);
        cr_expect(strstr(message, ", expected "), "%s: %s", h->what, message);
        cr_expect(!h->expected || strstr(message, h->expected), "%s: %s", h->what, message);
        cr_expect(!npy.data && !npy.map && !npy.copy, "%s: something was left behind", h->what);

        assay_npy_header header;
        cr_expect_eq(parse_exactly(file, size, &header), ASSAY_ERR_FORMAT, "%s", h->what);
    }
}

Test(npy, every_cut_of_a_valid_file_is_refused) {
    unsigned char file[1024];
    size_t size = sample(file);
    assay_npy_header header;
    cr_assert_eq(parse_exactly(file, size, &header), ASSAY_OK, "%s", assay_last_error());
    for (size_t cut = 0; cut < size; cut++) {
        assay_fail(ASSAY_OK, "nothing");
        cr_expect_eq(parse_exactly(file, cut, &header), ASSAY_ERR_FORMAT, "cut at byte %zu", cut);
        cr_expect(strstr(assay_last_error(), " at byte "), "cut at %zu: %s", cut,
                  assay_last_error());
        assay_npy npy;
        cr_expect_eq(assay_npy_load(write_file("cut.npy", file, cut), &npy), ASSAY_ERR_FORMAT,
                     "cut at byte %zu", cut);
    }
}

Test(npy, no_flipped_byte_crashes_or_lies) {
    unsigned char file[1024];
    size_t size = sample(file), accepted = 0;
    for (size_t at = 0; at < size - 24; at++) {
        unsigned char whole = file[at];
        for (int value = 0; value < 256; value++) {
            file[at] = (unsigned char)value;
            assay_npy_header h;
            assay_fail(ASSAY_OK, "nothing");
            if (parse_exactly(file, size, &h) == ASSAY_OK) {
                accepted++;
                cr_expect_eq((size_t)h.elements * assay_npy_type_size(h.type), size - h.data_at,
                             "byte %zu = %d", at, value);
            } else
                cr_expect(strstr(assay_last_error(), ", expected "), "byte %zu = %d: %s", at, value,
                          assay_last_error());
        }
        file[at] = whole;
    }
    /* Each byte itself, and the blanks, quotes and digits that mean the same. */
    cr_expect_geq(accepted, size - 24);
}

Test(npy, literals_that_mean_the_same_are_read_the_same) {
    static const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
        "{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}",
        "{\"fortran_order\":False,\"descr\":\"<f4\",\"shape\":(2,3)}",
        "{'descr': '<f4', \"fortran_order\": False, 'shape': (2, 3,)}",
        " { 'descr' : '<f4' ,\t'fortran_order'\n:False,'shape': ( 2 , 3 , ) , }     ",
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        for (int version = 1; version <= 3; version++) {
            unsigned char file[1024];
            size_t size = assemble(version, headers[i], strlen(headers[i]), true, 24, file);
            assay_npy npy;
            cr_assert_eq(assay_npy_load(write_file("same.npy", file, size), &npy), ASSAY_OK, "%s",
                         assay_last_error());
            cr_expect_eq(npy.type, ASSAY_NPY_F32);
            cr_expect(npy.rank == 2 && npy.shape[0] == 2 && npy.shape[1] == 3);
            cr_expect_eq((uintptr_t)npy.data % 4, 0, "misaligned data");
            for (int b = 0; b < 24; b++)
                cr_expect_eq(((const unsigned char *)npy.data)[b], b + 1, "header %zu", i);
            assay_npy_free(&npy);
        }
}

Test(npy, descr_words) {
    static const struct {
        const char *descr;
        assay_npy_type type;
    } words[] = {
        {"<f2", ASSAY_NPY_F16},  {">f2", ASSAY_NPY_F16},  {"<f4", ASSAY_NPY_F32},
        {">f4", ASSAY_NPY_F32},  {"<f8", ASSAY_NPY_F64},  {">f8", ASSAY_NPY_F64},
        {"<u2", ASSAY_NPY_U16},  {">u2", ASSAY_NPY_U16},  {"<V2", ASSAY_NPY_BF16},
        {"|V2", ASSAY_NPY_BF16}, {">V2", ASSAY_NPY_BF16}, {"bfloat16", ASSAY_NPY_BF16},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char header[128];
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }",
                 words[i].descr);
        unsigned char file[1024];
        size_t width = assay_npy_type_size(words[i].type);
        size_t size = assemble(1, header, strlen(header), true, 2 * width, file);
        assay_npy npy;
        cr_assert_eq(assay_npy_load(write_file("word.npy", file, size), &npy), ASSAY_OK, "%s",
                     assay_last_error());
        cr_expect_eq(npy.type, words[i].type, "%s", words[i].descr);
        /* Data bytes count up from 1; big endian reverses each element. */
        for (size_t b = 0; b < 2 * width; b++) {
            size_t from = words[i].descr[0] == '>' ? b / width * width + width - 1 - b % width : b;
            cr_expect_eq(((const unsigned char *)npy.data)[b], from + 1, "%s byte %zu",
                         words[i].descr, b);
        }
        assay_npy_free(&npy);
    }
}

Test(npy, column_major_becomes_row_major) {
    static const struct {
        const char *shape;
        int rank;
        int64_t n[4];
    } cases[] = {
        {"(2, 3)", 2, {2, 3}},
        {"(3, 2, 4)", 3, {3, 2, 4}},
        {"(1, 5)", 2, {1, 5}},
        {"(5, 1, 2)", 3, {5, 1, 2}},
        {"(7,)", 1, {7}},
        {"(2, 0)", 2, {2, 0}},
        {"(2, 3, 2, 2)", 4, {2, 3, 2, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int big = 0; big < 2; big++) {
            int64_t count = 1;
            for (int k = 0; k < cases[i].rank; k++) count *= cases[i].n[k];
            char header[128];
            snprintf(header, sizeof header,
                     "{'descr': '%cu2', 'fortran_order': True, 'shape': %s, }", big ? '>' : '<',
                     cases[i].shape);
            unsigned char file[1024];
            size_t size = assemble(1, header, strlen(header), true, (size_t)count * 2, file);
            unsigned char *data = file + size - count * 2;
            for (int64_t e = 0; e < count; e++) { /* element e of the file holds the number e */
                data[2 * e + big] = (unsigned char)e;
                data[2 * e + !big] = 0;
            }
            assay_npy npy;
            cr_assert_eq(assay_npy_load(write_file("order.npy", file, size), &npy), ASSAY_OK, "%s",
                         assay_last_error());
            cr_assert_eq(npy.elements, count);
            for (int64_t e = 0; e < count; e++) {
                int64_t left = e, index[4] = {0}, expected = 0;
                for (int k = cases[i].rank - 1; k >= 0; k--) {
                    index[k] = left % cases[i].n[k];
                    left /= cases[i].n[k];
                }
                for (int k = cases[i].rank - 1; k >= 0; k--)
                    expected = expected * cases[i].n[k] + index[k];
                cr_expect_eq(((const uint16_t *)npy.data)[e], expected, "%s element %lld",
                             cases[i].shape, (long long)e);
            }
            assay_npy_free(&npy);
        }
}

Test(npy, what_is_saved_is_read_back) {
    unsigned char data[8 * 256];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 37 + 11);
    for (int type = 0; type < ASSAY_NPY_TYPE_COUNT; type++)
        for (int rank = 0; rank <= ASSAY_NPY_MAX_RANK; rank++)
            for (int zero = 0; zero <= (rank > 0); zero++) {
                int64_t shape[ASSAY_NPY_MAX_RANK], count = 1;
                for (int i = 0; i < rank; i++) count *= shape[i] = zero && i == 0 ? 0 : 1 + i % 3;
                const char *path = in_folder("saved.npy");
                cr_assert_eq(assay_npy_save(path, (assay_npy_type)type, rank, shape, data),
                             ASSAY_OK, "%s", assay_last_error());
                cr_expect_eq(entries(), 1, "a temporary file was left");
                assay_npy npy;
                cr_assert_eq(assay_npy_load(path, &npy), ASSAY_OK, "%s", assay_last_error());
                cr_expect_eq((int)npy.type, type);
                cr_expect_eq(npy.rank, rank);
                cr_expect_eq(npy.elements, count);
                cr_expect(memcmp(npy.shape, shape, (size_t)rank * sizeof shape[0]) == 0);
                cr_expect_null(npy.copy, "an aligned row-major file needs no copy");
                cr_expect_eq(((uintptr_t)npy.data - (uintptr_t)npy.map) % 64, 0);
                cr_expect(memcmp(npy.data, data,
                                 (size_t)count * assay_npy_type_size((assay_npy_type)type)) == 0);
                assay_npy_free(&npy);
            }
}

Test(npy, a_failed_save_leaves_nothing) {
    int64_t shape[1] = {4}, huge[2] = {INT64_C(1) << 40, INT64_C(1) << 40}, negative[1] = {-1};
    float data[4] = {1, 2, 3, 4};
    cr_expect_eq(assay_npy_save(in_folder("no/such.npy"), ASSAY_NPY_F32, 1, shape, data),
                 ASSAY_ERR_IO);
    cr_expect(strstr(assay_last_error(), "no/such.npy: file: found No such file"), "%s",
              assay_last_error());
    const char *path = in_folder("bad.npy");
    cr_expect_eq(assay_npy_save(path, ASSAY_NPY_F32, 2, huge, data), ASSAY_ERR_OVERFLOW);
    cr_expect_eq(assay_npy_save(path, ASSAY_NPY_F32, 1, negative, data), ASSAY_ERR_OVERFLOW);
    cr_expect_eq(assay_npy_save(path, ASSAY_NPY_F32, 9, shape, data), ASSAY_ERR_ARGUMENT);
    cr_expect_eq(assay_npy_save(path, ASSAY_NPY_TYPE_COUNT, 1, shape, data), ASSAY_ERR_ARGUMENT);
    mkdir(in_folder("taken.npy"), 0700);
    cr_expect_eq(assay_npy_save(in_folder("taken.npy"), ASSAY_NPY_F32, 1, shape, data),
                 ASSAY_ERR_IO);
    rmdir(in_folder("taken.npy"));
    mkfifo(in_folder("pipe.npy"), 0600); /* a rename would succeed, and take the pipe away */
    cr_expect_eq(assay_npy_save(in_folder("pipe.npy"), ASSAY_NPY_F32, 1, shape, data),
                 ASSAY_ERR_IO);
    cr_expect(strstr(assay_last_error(), "pipe.npy: file: found a folder, device or pipe"), "%s",
              assay_last_error());
    unlink(in_folder("pipe.npy"));
    /* The disk is full after 64 bytes, for as long as it takes. */
    const struct rlimit small = {64, RLIM_INFINITY}, large = {RLIM_INFINITY, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    cr_expect_eq(assay_npy_save(in_folder("bad.npy"), ASSAY_NPY_F32, 1, shape, data), ASSAY_ERR_IO);
    setrlimit(RLIMIT_FSIZE, &large);
    cr_expect(strstr(assay_last_error(), "bad.npy: file: found File too large"), "%s",
              assay_last_error());
    cr_expect_eq(entries(), 0);
}

Test(npy, a_save_replaces_the_file_with_ordinary_permissions) {
    int64_t shape[1] = {1};
    float data[1] = {1};
    const char *path = write_file("old.npy", "old", 3);
    mode_t mask = umask(022);
    cr_assert_eq(assay_npy_save(path, ASSAY_NPY_F32, 1, shape, data), ASSAY_OK);
    umask(mask);
    struct stat info;
    cr_assert_eq(stat(path, &info), 0);
    cr_expect_eq(info.st_mode & 0777, 0644);
    cr_expect_eq(info.st_size, 128 + 4);
}

Test(npy, what_is_no_file_is_refused) {
    assay_npy npy;
    cr_expect_eq(assay_npy_load(in_folder("missing.npy"), &npy), ASSAY_ERR_IO);
    cr_expect(strstr(assay_last_error(), "missing.npy: file: found No such file or directory"));
    cr_expect_eq(assay_npy_load(folder, &npy), ASSAY_ERR_IO);
    cr_expect(strstr(assay_last_error(), "file: found a directory, expected a regular file"), "%s",
              assay_last_error());
    const char *pipe = in_folder("pipe.npy");
    cr_assert_eq(mkfifo(pipe, 0600), 0);
    cr_expect_eq(assay_npy_load(pipe, &npy), ASSAY_ERR_IO); /* and does not wait for a writer */
    cr_expect(strstr(assay_last_error(), "found a device, pipe or socket"));
    const char *loop = in_folder("loop.npy");
    cr_assert_eq(symlink(loop, loop), 0);
    cr_expect_eq(assay_npy_load(loop, &npy), ASSAY_ERR_IO);
    cr_expect(strstr(assay_last_error(), "loop.npy: file: found Too many levels"));
    if (geteuid() != 0) { /* root reads everything */
        const char *locked = write_file("locked.npy", "x", 1);
        chmod(locked, 0);
        cr_expect_eq(assay_npy_load(locked, &npy), ASSAY_ERR_IO);
        cr_expect(strstr(assay_last_error(), "Permission denied"));
    }
    /* A path longer than the message keeps its end, and the reason. */
    char path[3000];
    memset(path, '/', sizeof path);
    strcpy(path, folder);
    path[strlen(folder)] = '/';
    strcpy(path + sizeof path - 9, "name.npy");
    cr_expect_eq(assay_npy_load(path, &npy), ASSAY_ERR_IO);
    cr_expect(strstr(assay_last_error(), "/name.npy: file: found No such file"), "%s",
              assay_last_error());
}

Test(npy, a_file_larger_than_memory) {
    /* Sparse, 2^38 bytes: mapped when its order is ours, refused when it would have to be copied.
     */
    for (int fortran = 0; fortran < 2; fortran++) {
        char header[128];
        snprintf(header, sizeof header, "%-117s",
                 fortran ? "{'descr': '<f4', 'fortran_order': True, 'shape': (65536, 1048576), }"
                         : "{'descr': '<f4', 'fortran_order': False, 'shape': (65536, 1048576), }");
        unsigned char file[1024];
        size_t size = assemble(1, header, 117, true, 0, file);
        cr_assert_eq(size, 128);
        const char *path = write_file("large.npy", file, size);
        cr_assert_eq(truncate(path, 128 + (INT64_C(1) << 38)), 0);
        assay_npy npy;
        assay_status status = assay_npy_load(path, &npy);
        if (fortran) {
            cr_expect_eq(status, ASSAY_ERR_MEMORY);
            cr_expect(strstr(assay_last_error(), "large.npy: data: found column-major"));
        } else {
            cr_assert_eq(status, ASSAY_OK, "%s", assay_last_error());
            cr_expect_eq(((const float *)npy.data)[npy.elements - 1], 0.0f);
        }
        assay_npy_free(&npy);
    }
}
