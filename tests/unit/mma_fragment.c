/* Fragment layouts: a bijection between elements and places, for every record that has one; and the
 * places that the documents print. */
#include <criterion/criterion.h>
#include <string.h>

#include "mma_kit.h"

TestSuite(mma_fragment, .timeout = 20);

static const int free_n[] = {8, 96, 256};

/* Every element has a place of its own, the way back leads to it, and no place is left over. */
static void is_bijection(const assay_mma *mma, assay_mma_operand operand, int n) {
    static uint8_t taken[128][256][32];
    const int registers = assay_mma_registers(mma, operand, n), lanes = assay_mma_lanes(mma);
    if (registers == 0) return;
    memset(taken, 0, sizeof taken);
    const int rows = operand == ASSAY_MMA_B ? mma->k : mma->m;
    const int columns = operand == ASSAY_MMA_A ? mma->k : mma->n ? mma->n : n;
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            assay_mma_place place;
            assay_mma_element back;
            cr_assert(
                assay_mma_place_of(mma, operand, n, (assay_mma_element){row, column}, &place));
            cr_assert(place.lane >= 0 && place.lane < lanes && place.reg >= 0 &&
                          place.reg < registers && place.bit >= 0 && place.bit < 32,
                      "%s %s operand %d (%d, %d): lane %d reg %d", mma->arch, mma->name, operand,
                      row, column, place.lane, place.reg);
            cr_assert(taken[place.lane][place.reg][place.bit]++ == 0, "%s (%d, %d)", mma->name, row,
                      column);
            cr_assert(assay_mma_element_at(mma, operand, n, place, &back));
            cr_assert(back.row == row && back.column == column, "%s operand %d (%d, %d): (%d, %d)",
                      mma->name, operand, row, column, back.row, back.column);
        }
    }
    const int per = rows * columns / lanes / registers;
    cr_assert_eq(per * lanes * registers, rows * columns, "%s operand %d", mma->name, operand);
}

Test(mma_fragment, bijections) {
    int with_layout = 0;
    for (size_t i = 0; i < assay_mma_count(); i++) {
        const assay_mma *mma = assay_mma_at(i);
        with_layout += assay_mma_lanes(mma) > 0;
        for (int operand = ASSAY_MMA_A; operand <= ASSAY_MMA_C; operand++)
            for (int j = 0; j < (mma->n ? 1 : 3); j++)
                is_bijection(mma, (assay_mma_operand)operand, free_n[j]);
    }
    cr_expect_gt(with_layout, 100);
}

static void stands_at(const char *arch, const char *name, assay_mma_operand operand, int n,
                      assay_mma_element e, assay_mma_place due) {
    assay_mma_place p;
    cr_assert(assay_mma_place_of(mma_kit_find(arch, name), operand, n, e, &p), "%s", name);
    cr_expect(p.lane == due.lane && p.reg == due.reg && p.bit == due.bit,
              "%s operand %d (%d, %d): lane %d register %d bit %d", name, operand, e.row, e.column,
              p.lane, p.reg, p.bit);
}

/* g = lane / 4, t = lane % 4, as the PTX ISA writes them. */
Test(mma_fragment, places_of_the_ptx_isa) {
    const char *bf16 = "mma.m16n8k16.f32.bf16.bf16.f32", *e4m3 = "mma.m16n8k32.f32.e4m3.e4m3.f32";
    stands_at("sm_90", bf16, ASSAY_MMA_A, 0, (assay_mma_element){8 + 5, 8 + 2 * 3 + 1},
              (assay_mma_place){4 * 5 + 3, 3, 16});
    stands_at("sm_90", bf16, ASSAY_MMA_B, 0, (assay_mma_element){8 + 2 * 3, 5},
              (assay_mma_place){4 * 5 + 3, 1, 0});
    stands_at("sm_90", bf16, ASSAY_MMA_C, 0, (assay_mma_element){8 + 5, 2 * 3 + 1},
              (assay_mma_place){4 * 5 + 3, 3, 0});
    stands_at("sm_90", "mma.m16n8k16.f16.f16.f16.f16", ASSAY_MMA_C, 0,
              (assay_mma_element){8 + 5, 2 * 3 + 1}, (assay_mma_place){4 * 5 + 3, 1, 16});
    stands_at("sm_90", "mma.m16n8k8.f32.tf32.tf32.f32", ASSAY_MMA_A, 0,
              (assay_mma_element){5, 3 + 4}, (assay_mma_place){4 * 5 + 3, 2, 0});
    stands_at("sm_90", e4m3, ASSAY_MMA_A, 0, (assay_mma_element){8 + 1, 16 + 4 * 2 + 3},
              (assay_mma_place){4 * 1 + 2, 3, 24});
    stands_at("sm_90", "mma.m16n8k8.f64.f64.f64.f64", ASSAY_MMA_A, 0,
              (assay_mma_element){8 + 2, 4 + 1}, (assay_mma_place){4 * 2 + 1, 3, 0});
    stands_at("sm_120", "mma.m16n8k64.mxf4.2X.f32.e2m1.e2m1.f32.ue8m0", ASSAY_MMA_B, 0,
              (assay_mma_element){32 + 8 * 2 + 7, 6}, (assay_mma_place){4 * 6 + 2, 1, 28});
    stands_at("sm_120", "mma.m16n8k32.f8f6f4.f32.e2m1.e4m3.f32", ASSAY_MMA_A, 0,
              (assay_mma_element){0, 1}, (assay_mma_place){0, 0, 8 + 2});
    stands_at("sm_90", "wgmma.m64nNk16.f32.bf16.bf16", ASSAY_MMA_C, 128,
              (assay_mma_element){16 * 2 + 8 + 5, 8 * 9 + 2 * 3 + 1},
              (assay_mma_place){32 * 2 + 4 * 5 + 3, 4 * 9 + 3, 0});
    stands_at("sm_90", "wgmma.m64nNk16.f16.f16.f16", ASSAY_MMA_C, 64,
              (assay_mma_element){16 * 3 + 8 + 5, 8 * 2 + 2 * 1},
              (assay_mma_place){32 * 3 + 4 * 5 + 1, 2 * 2 + 1, 0});
}

Test(mma_fragment, places_of_amds_calculator) {
    stands_at("gfx942", "mfma.f32.16x16x16.f16", ASSAY_MMA_A, 0, (assay_mma_element){3, 4 * 2 + 3},
              (assay_mma_place){16 * 2 + 3, 1, 16});
    stands_at("gfx942", "mfma.f32.32x32x8.bf16", ASSAY_MMA_B, 0, (assay_mma_element){4 + 1, 7},
              (assay_mma_place){32 + 7, 0, 16});
    stands_at("gfx942", "mfma.f32.32x32x8.bf16", ASSAY_MMA_C, 0,
              (assay_mma_element){8 * 3 + 4 + 2, 9}, (assay_mma_place){32 + 9, 4 * 3 + 2, 0});
    stands_at("gfx942", "mfma.f32.16x16x32.fp8.bf8", ASSAY_MMA_A, 0,
              (assay_mma_element){5, 8 * 3 + 6}, (assay_mma_place){16 * 3 + 5, 1, 16});
    stands_at("gfx942", "mfma.f32.16x16x8.xf32", ASSAY_MMA_C, 0, (assay_mma_element){4 * 2 + 1, 6},
              (assay_mma_place){16 * 2 + 6, 1, 0});
}

Test(mma_fragment, no_such_place) {
    const assay_mma *mma = mma_kit_find("sm_90", "wgmma.m64nNk16.f32.bf16.bf16");
    assay_mma_place p = {0, 0, 0};
    assay_mma_element e;
    cr_expect_not(assay_mma_place_of(mma, ASSAY_MMA_B, 8, (assay_mma_element){0, 0}, &p));
    cr_expect_not(assay_mma_place_of(mma, ASSAY_MMA_C, 8, (assay_mma_element){0, 8}, &p));
    cr_expect_not(assay_mma_place_of(mma, ASSAY_MMA_A, 8, (assay_mma_element){-1, 0}, &p));
    cr_expect_not(assay_mma_element_at(mma, ASSAY_MMA_C, 8, (assay_mma_place){128, 0, 0}, &e));
    cr_expect_not(assay_mma_element_at(mma, ASSAY_MMA_C, 8, (assay_mma_place){0, 4, 0}, &e));
    cr_expect_not(assay_mma_element_at(mma, ASSAY_MMA_A, 8, (assay_mma_place){0, 0, 8}, &e));
    cr_expect_eq(assay_mma_lanes(mma_kit_find("sm_70", "mma.m8n8k4.f32.f16.f16.f32")), 0);
    cr_expect_eq(assay_mma_lanes(mma_kit_find("sm_100", "tcgen05.k16.f32.f16.f16")), 0);
}

/* PTX ISA 9.1, block scaling: the lanes that pass scales. */
Test(mma_fragment, scales) {
    const assay_mma *mma =
        mma_kit_find("sm_120", "mma.m16n8k64.mxf4nvf4.2X.f32.e2m1.e2m1.f32.ue8m0");
    assay_mma_place p;
    cr_expect(assay_mma_scale_place(mma, ASSAY_MMA_A, 8 + 3, 1, 1, 2, &p));
    cr_expect(p.lane == 4 * 3 + 1 + 2 && p.bit == 24);
    cr_expect(assay_mma_scale_place(mma, ASSAY_MMA_B, 5, 0, 3, 0, &p));
    cr_expect(p.lane == 4 * 5 + 3 && p.bit == 0);
    cr_expect_not(assay_mma_scale_place(mma, ASSAY_MMA_A, 0, 0, 2, 0, &p));
    cr_expect_not(assay_mma_scale_place(mma, ASSAY_MMA_A, 0, 0, 0, 1, &p));
    cr_expect_not(assay_mma_scale_place(mma, ASSAY_MMA_A, 0, 2, 0, 0, &p));
    cr_expect_not(assay_mma_scale_place(mma_kit_find("sm_90", "mma.m16n8k16.f32.bf16.bf16.f32"),
                                        ASSAY_MMA_A, 0, 0, 0, 0, &p));
}
