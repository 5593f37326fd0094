/* gemm_bf16 with one thing wrong: faults that test data must be able to show. */
#include "assay/formats.h"
#include "gemm_internal.h"

static const char *const names[ASSAY_GEMM_ABLATION_COUNT] = {
    [ASSAY_GEMM_FULL] = "full",
    [ASSAY_GEMM_FIRST_LOST] = "first_lost",
    [ASSAY_GEMM_LAST_LOST] = "last_lost",
    [ASSAY_GEMM_BLOCK_LOST] = "block_lost",
    [ASSAY_GEMM_TILE_LOST] = "tile_lost",
    [ASSAY_GEMM_TILE_TWICE] = "tile_twice",
    [ASSAY_GEMM_BF16_SUM] = "bf16_sum",
    [ASSAY_GEMM_BF16_PRODUCTS] = "bf16_products",
    [ASSAY_GEMM_ROW_SHIFTED] = "row_shifted",
    [ASSAY_GEMM_COLUMN_SHIFTED] = "column_shifted",
    [ASSAY_GEMM_K_SHIFTED] = "k_shifted",
    [ASSAY_GEMM_HALVES_SWAPPED] = "halves_swapped",
    [ASSAY_GEMM_PAIRS_SWAPPED] = "pairs_swapped",
    [ASSAY_GEMM_W_TRANSPOSED] = "w_transposed",
    [ASSAY_GEMM_LAST_COLUMN_LOST] = "last_column_lost",
};

const char *assay_gemm_ablation_name(assay_gemm_ablation ablation) {
    return (unsigned)ablation < ASSAY_GEMM_ABLATION_COUNT ? names[ablation] : "?";
}

bool assay_gemm_ablation_applies(assay_gemm_ablation ablation, int64_t m, int64_t n, int64_t k) {
    if (m < 1 || n < 1 || k < 1) return false;
    switch (ablation) {
    case ASSAY_GEMM_FIRST_LOST:
    case ASSAY_GEMM_BF16_PRODUCTS:
    case ASSAY_GEMM_LAST_COLUMN_LOST: return true;
    case ASSAY_GEMM_LAST_LOST:
    case ASSAY_GEMM_K_SHIFTED:
    case ASSAY_GEMM_PAIRS_SWAPPED: return k > 1;
    case ASSAY_GEMM_BLOCK_LOST:
    case ASSAY_GEMM_BF16_SUM: return k > 16;
    case ASSAY_GEMM_TILE_LOST:
    case ASSAY_GEMM_TILE_TWICE: return k > 32;
    case ASSAY_GEMM_ROW_SHIFTED: return m > 1;
    case ASSAY_GEMM_COLUMN_SHIFTED: return n > 1;
    case ASSAY_GEMM_HALVES_SWAPPED: return k > 8;
    case ASSAY_GEMM_W_TRANSPOSED: return n > 1 && k > 1;
    default: return false;
    }
}

static double to_bf16(double v) { return assay_bf16_decode(assay_bf16_encode(v)); }

/* The index of w's element that is multiplied with x's at (column, i); -1: none. */
static int64_t partner(assay_gemm_ablation ablation, int64_t n, int64_t k, int64_t column,
                       int64_t i) {
    int64_t at = i;
    if (ablation == ASSAY_GEMM_COLUMN_SHIFTED) column = (column + 1) % n;
    if (ablation == ASSAY_GEMM_K_SHIFTED) at = (i + 1) % k;
    if (ablation == ASSAY_GEMM_HALVES_SWAPPED) at = i ^ 8;
    if (ablation == ASSAY_GEMM_PAIRS_SWAPPED) at = i ^ 1;
    if (at >= k) return -1; /* beyond the edge lie zeros */
    return ablation == ASSAY_GEMM_W_TRANSPOSED ? at * n + column : column * k + at;
}

/* How often the product at i counts. */
static int times(assay_gemm_ablation ablation, int64_t k, int64_t i) {
    const int64_t block = (k - 1) / 16 * 16, tile = (k - 1) / 32 * 32;
    switch (ablation) {
    case ASSAY_GEMM_FIRST_LOST: return i > 0;
    case ASSAY_GEMM_LAST_LOST: return i < k - 1;
    case ASSAY_GEMM_BLOCK_LOST: return i < block;
    case ASSAY_GEMM_TILE_LOST: return i < tile;
    case ASSAY_GEMM_TILE_TWICE: return i < tile ? 1 : 2;
    default: return 1;
    }
}

assay_status assay_oracle_gemm_bf16_ablated(assay_gemm_ablation ablation, const uint16_t *x,
                                            const uint16_t *w, int64_t m, int64_t n, int64_t k,
                                            int64_t row, double *y) {
    if (row < 0 || row >= m ||
        (ablation != ASSAY_GEMM_FULL && !assay_gemm_ablation_applies(ablation, m, n, k)))
        return assay_fail(ASSAY_ERR_ARGUMENT, "gemm_bf16 ablation: %s does not apply",
                          assay_gemm_ablation_name(ablation));
    if (ablation == ASSAY_GEMM_ROW_SHIFTED) row = (row + 1) % m;
    for (int64_t column = 0; column < n; column++) {
        double sum = 0;
        for (int64_t i = 0; i < k; i++) {
            const int64_t at = partner(ablation, n, k, column, i);
            double p = at < 0 ? 0 : gemm_bf16(x[row * k + i]) * gemm_bf16(w[at]);
            if (ablation == ASSAY_GEMM_BF16_PRODUCTS) p = to_bf16(p);
            for (int count = times(ablation, k, i); count > 0; count--) sum += p;
            if (ablation == ASSAY_GEMM_BF16_SUM && (i % 16 == 15 || i == k - 1)) sum = to_bf16(sum);
        }
        y[column] = ablation == ASSAY_GEMM_LAST_COLUMN_LOST && column == n - 1 ? 0 : sum;
    }
    return ASSAY_OK;
}
