/* PNG, W3C Recommendation 2003: signature, IHDR, PLTE, IDAT, IEND. The zlib stream (RFC 1950) holds
 * one stored deflate block (RFC 1951, 3.2.4), so that no library is needed. */
#include "png.h"

#include <string.h>

#define CAPACITY 70000

typedef struct bytes {
    unsigned char at[CAPACITY];
    size_t count;
} bytes;

static void put(bytes *b, const void *data, size_t size) {
    if (size == 0 || b->count + size > CAPACITY) return;
    memcpy(b->at + b->count, data, size);
    b->count += size;
}

static void put32(bytes *b, uint32_t v) {
    const unsigned char big[4] = {(unsigned char)(v >> 24), (unsigned char)(v >> 16),
                                  (unsigned char)(v >> 8), (unsigned char)v};
    put(b, big, 4);
}

static uint32_t crc(const unsigned char *data, size_t size) {
    uint32_t c = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        c ^= data[i];
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
    }
    return c ^ UINT32_MAX;
}

static void put_chunk(bytes *b, const char *type, const void *data, size_t size) {
    put32(b, (uint32_t)size);
    const size_t start = b->count;
    put(b, type, 4);
    put(b, data, size);
    put32(b, crc(b->at + start, b->count - start));
}

/* Each row begins with its filter, 0: none. */
static void put_zlib(bytes *b, const unsigned char *pixels, int width, int height) {
    const size_t size = (size_t)(width + 1) * (size_t)height;
    const unsigned char head[7] = {0x78,
                                   0x01,
                                   1,
                                   (unsigned char)size,
                                   (unsigned char)(size >> 8),
                                   (unsigned char)~size,
                                   (unsigned char)(~size >> 8)};
    put(b, head, sizeof head);
    const size_t start = b->count;
    for (int row = 0; row < height; row++) {
        put(b, "", 1);
        put(b, pixels + (size_t)row * (size_t)width, (size_t)width);
    }
    uint32_t low = 1, high = 0;
    for (size_t i = start; i < b->count; i++) {
        low = (low + b->at[i]) % 65521;
        high = (high + low) % 65521;
    }
    put32(b, high << 16 | low);
}

static void put_base64(FILE *out, const bytes *b) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < b->count; i += 3) {
        const size_t left = b->count - i;
        const unsigned n = (unsigned)b->at[i] << 16 | (left > 1 ? (unsigned)b->at[i + 1] << 8 : 0) |
                           (left > 2 ? b->at[i + 2] : 0u);
        fputc(digits[n >> 18], out);
        fputc(digits[n >> 12 & 63], out);
        fputc(left > 1 ? digits[n >> 6 & 63] : '=', out);
        fputc(left > 2 ? digits[n & 63] : '=', out);
    }
}

void assay_png_data_uri(FILE *out, const unsigned char *pixels, int width, int height,
                        const unsigned char (*palette)[3], int colors) {
    static _Thread_local bytes file, data;
    unsigned char header[13] = {0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0}; /* 8 bits, palette */
    file.count = data.count = 0;
    for (int i = 0; i < 4; i++) {
        header[i] = (unsigned char)(width >> (24 - 8 * i));
        header[4 + i] = (unsigned char)(height >> (24 - 8 * i));
    }
    put(&file, "\x89PNG\r\n\x1a\n", 8);
    put_chunk(&file, "IHDR", header, sizeof header);
    put_chunk(&file, "PLTE", palette, (size_t)colors * 3);
    put_zlib(&data, pixels, width, height);
    put_chunk(&file, "IDAT", data.at, data.count);
    put_chunk(&file, "IEND", NULL, 0);
    fputs("data:image/png;base64,", out);
    put_base64(out, &file);
}
