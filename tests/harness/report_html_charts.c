/* Pictures of the HTML report: how close results came to their bounds, and where. */
#include <inttypes.h>
#include <math.h>

#include "markup.h"
#include "png.h"
#include "report_html_parts.h"

/* The drawing's own units; it is scaled to the column it stands in, so that 11 stays legible on a
 * phone. */
#define WIDTH 396
#define LEFT 60
#define BASE 150
#define TOP 16

static int64_t highest(const assay_histogram *h) {
    int64_t most = h->over > h->zero ? h->over : h->zero;
    for (int i = 0; i < ASSAY_HISTOGRAM_BINS; i++)
        if (h->bins[i] > most) most = h->bins[i];
    return most;
}

static void put_bar(FILE *out, double x, double width, int64_t count, int64_t most,
                    const char *class, const char *title) {
    const double height = most ? (double)count / (double)most * (BASE - TOP) : 0;
    if (count == 0) return;
    fprintf(out, "<rect class=%s x=%.1f y=%.1f width=%.1f height=%.1f><title>", class, x,
            BASE - (height < 1 ? 1 : height), width, height < 1 ? 1 : height);
    fprintf(out, "%s: ", title);
    assay_markup_count(out, count);
    fputs("</title></rect>", out);
}

/* Bars for 0, then 20 of (0, 1], then above 1. */
void html_histogram(FILE *out, const assay_histogram *h, const char *title, const char *what) {
    const int slots = ASSAY_HISTOGRAM_BINS + 4; /* a blank one beside each outer bar */
    const double slot = (double)(WIDTH - LEFT - 6) / slots;
    const int64_t most = highest(h);
    const double zero = LEFT, first = LEFT + 2 * slot;
    const double last = first + (ASSAY_HISTOGRAM_BINS + 1) * slot;
    fprintf(out, "<figure><figcaption><strong>%s</strong>", title);
    assay_markup_count(out, assay_histogram_total(h));
    fprintf(out, " %s", what);
    if (h->unknown) {
        fputs("; ", out);
        assay_markup_count(out, h->unknown);
        fputs(" without a finite bound", out);
    }
    fprintf(out, "</figcaption>\n<svg viewBox=\"0 0 %d 184\" role=img aria-label=\"%s: ", WIDTH,
            title);
    assay_markup_count(out, h->zero);
    fputs(" at 0, ", out);
    assay_markup_count(out, assay_histogram_total(h) - h->zero - h->over);
    fputs(" above 0 and up to 1, ", out);
    assay_markup_count(out, h->over);
    fprintf(out, " above 1\"><path class=axis d=\"M%d %dH%d\"/>", LEFT, BASE, WIDTH);
    fprintf(out, "<text x=%d y=%d text-anchor=end>", LEFT - 5, TOP + 8);
    assay_markup_count(out, most);
    fprintf(out, "</text><text x=%d y=%d text-anchor=end>0</text>", LEFT - 5, BASE);
    put_bar(out, zero, slot - 1, h->zero, most, "bar", "0, exact");
    for (int i = 0; i < ASSAY_HISTOGRAM_BINS; i++) {
        char range[48];
        snprintf(range, sizeof range, "%.2f to %.2f", i / 20.0, (i + 1) / 20.0);
        put_bar(out, first + i * slot, slot - 1, h->bins[i], most, "bar", range);
    }
    put_bar(out, last, slot - 1, h->over, most, "over", "above 1");
    fprintf(out, "<text x=%.1f y=%d text-anchor=middle>0</text>", zero + slot / 2, BASE + 14);
    for (int i = 1; i <= 4; i++)
        fprintf(out, "<text x=%.1f y=%d text-anchor=middle>%s</text>",
                first + i * ASSAY_HISTOGRAM_BINS / 4.0 * slot, BASE + 14,
                (const char *const[]){"0.25", "0.5", "0.75", "1"}[i - 1]);
    fprintf(out, "<text x=%.1f y=%d text-anchor=middle>&gt;1</text>", last + slot / 2 + 2,
            BASE + 14);
    fprintf(out, "<text x=%d y=%d text-anchor=middle>error over bound</text></svg></figure>\n",
            (WIDTH + LEFT) / 2, BASE + 30);
}

/* Steps of the map's colours: from dark blue over grey to yellow, by lightness, so that it reads
 * without colour, too. Then: out of bounds, nothing to show. */
#define RAMP 64
enum { OUT_OF_BOUNDS = RAMP, NOTHING, COLORS };

static void make_palette(unsigned char palette[COLORS][3]) {
    static const unsigned char stops[5][3] = {{0x00, 0x20, 0x4c},
                                              {0x41, 0x4d, 0x6b},
                                              {0x7c, 0x7b, 0x78},
                                              {0xbc, 0xae, 0x6c},
                                              {0xff, 0xea, 0x46}};
    for (int i = 0; i < RAMP; i++) {
        const double at = 4.0 * i / (RAMP - 1);
        const int low = at >= 4 ? 3 : (int)at;
        for (int k = 0; k < 3; k++)
            palette[i][k] =
                (unsigned char)(stops[low][k] + (stops[low + 1][k] - stops[low][k]) * (at - low));
    }
    static const unsigned char rest[2][3] = {{0xd6, 0x00, 0x6d}, {0x9a, 0xa0, 0xa6}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) palette[RAMP + i][k] = rest[i][k];
}

static unsigned char color_of(const assay_error_map *map, int row, int column) {
    const double close = (double)map->cells[row][column];
    if (map->failed[row][column]) return OUT_OF_BOUNDS;
    if (isnan(close)) return NOTHING;
    return (unsigned char)(close >= 1 ? RAMP - 1 : close * RAMP);
}

static void put_picture(FILE *out, const assay_error_map *map) {
    static _Thread_local unsigned char pixels[ASSAY_MAP_ROWS * ASSAY_MAP_COLUMNS];
    unsigned char palette[COLORS][3];
    make_palette(palette);
    for (int r = 0; r < map->map_rows; r++)
        for (int c = 0; c < map->map_columns; c++)
            pixels[r * map->map_columns + c] = color_of(map, r, c);
    const int row_height = map->map_rows > 24 ? 6 : map->map_rows > 8 ? 12 : 20;
    fprintf(out, "<img class=map style=\"height:%dpx\" alt=\"", map->map_rows * row_height);
    fprintf(out, "Map of %s, %" PRId64 " rows by %" PRId64 " columns: ", map->role, map->rows,
            map->columns);
    if (map->failures) {
        fprintf(out, "%" PRId64 " elements out of bounds, ", map->failures);
        assay_markup_attribute(out, map->where);
    } else {
        fputs("every element within its bound", out);
    }
    fputs("\" src=\"", out);
    assay_png_data_uri(out, pixels, map->map_columns, map->map_rows,
                       (const unsigned char(*)[3])palette, COLORS);
    fputs("\">\n", out);
}

void html_map(FILE *out, const assay_error_map *map) {
    char line[ASSAY_CASE_LINE];
    assay_case_format(&map->c, line);
    fprintf(out, "<figure class=wide><figcaption><strong>%s</strong><code>",
            map->failures ? "Where the first failing case fails"
                          : "The case that came closest to its bound");
    assay_markup_text(out, line);
    fputs("</code>", out);
    if (map->failures) {
        fputs("<br>", out);
        assay_markup_count(out, map->failures);
        fputs(" elements out of bounds: ", out);
        assay_markup_text(out, map->where);
    }
    fputs("</figcaption>\n", out);
    put_picture(out, map);
    fprintf(out,
            "<div class=ends><span>column 0</span><span>%" PRId64
            " rows, from the top</span><span>%" PRId64 "</span></div>\n",
            map->rows, map->columns - 1);
    fprintf(out,
            "<div class=key><span>0 <i class=ramp></i>1 error over bound%s</span>"
            "<span><i class=out></i>out of bounds</span>"
            "<span><i class=none></i>NaN due, or no finite bound</span></div>\n",
            map->storage_rounds ? " and half a step of storage" : "");
    if (map->rows > map->map_rows || map->columns > map->map_columns)
        fputs("<p class=quiet>A dot is a block of elements; the largest one counts.</p>\n", out);
    fputs("</figure>\n", out);
}

void html_closeness(FILE *out, const assay_report_page *page) {
    const assay_report_rows *rows = page->report->rows;
    assay_histogram cases = {.zero = 0};
    for (size_t i = 0; i < rows->count; i++)
        if (!isnan(rows->rows[i].slack)) assay_histogram_add(&cases, rows->rows[i].slack);
    const bool known = assay_histogram_total(&cases) > 0;
    if (!known && !page->map) return;
    fputs("<h2>How close to the bounds</h2>\n"
          "<p class=quiet>Slack is the error over the proven bound, before rounding to storage. "
          "It may reach 1 and must not pass it; a bound that nothing approaches hides "
          "faults.</p>\n<div class=two>\n",
          out);
    if (known)
        html_histogram(out, &cases, "Cases by their largest slack",
                       "cases whose results are stored unrounded (f32)");
    if (page->map) {
        html_histogram(out, &page->map->elements,
                       page->map->failures ? "Elements of the failing case above"
                                           : "Elements of the closest case below",
                       "elements by error over bound");
        if (!page->map->failures) html_map(out, page->map); /* else it is with the failures */
    }
    fputs("</div>\n", out);
}
