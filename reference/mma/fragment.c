/* Fragment layouts as formulas.
 *
 * mma.sync (PTX ISA): in a and b every row or column has 32 bytes along k (half that in half-k
 * shapes), and a lane's register holds four of them:
 *   a  lane 4*(row%8) + byte/4%4, register row/8 + 2*(byte/16)
 *   b  lane 4*column + byte/4%4, register byte/16
 *   c  lane 4*(row%8) + column/2, register 2*(row/8) + column%2; f16: a register holds both columns
 * f64 has an element where the others have four bytes. wgmma is four of these, one a warp, 16 rows
 * each, with the columns in groups of eight.
 *
 * MFMA (AMD's matrix instruction calculator): a lane holds m*k/64 elements in a row along k.
 */
#include <string.h>

#include "internal.h"

typedef enum family { NONE, SYNC, GROUP, MFMA } family;

static family family_of(const assay_mma *mma) {
    if (strncmp(mma->name, "wgmma.", 6) == 0) return GROUP;
    if (strncmp(mma->name, "mfma.", 5) == 0) return MFMA;
    /* m8n8k4 in f16 (Volta) is laid out over quad pairs. */
    const bool sync = strncmp(mma->name, "mma.", 4) == 0;
    return sync && (mma->m == 16 || mma->a == ASSAY_MMA_F64) ? SYNC : NONE;
}

int assay_mma_lanes(const assay_mma *mma) {
    static const int lanes[] = {[NONE] = 0, [SYNC] = 32, [GROUP] = 128, [MFMA] = 64};
    return lanes[family_of(mma)];
}

/* Bits of an element in a register: e2m1 is packed where its instruction has k = 64, and f6 and f4
 * take a byte each otherwise. */
static int element_bits(const assay_mma *mma, assay_mma_operand operand) {
    const assay_mma_type type = operand == ASSAY_MMA_A   ? mma->a
                                : operand == ASSAY_MMA_B ? mma->b
                                                         : mma->d;
    if (type == ASSAY_MMA_E2M1 && mma->k == 64) return 4;
    return 8 * (int)assay_mma_type_size(type);
}

/* f4 in a byte of its own stands in bits 5..2. */
static int offset_in_byte(const assay_mma *mma, assay_mma_operand operand) {
    const assay_mma_type type = operand == ASSAY_MMA_A ? mma->a : mma->b;
    return operand != ASSAY_MMA_C && type == ASSAY_MMA_E2M1 && mma->k != 64 ? 2 : 0;
}

/* Elements along k that one register holds, and how many fours of registers' worth a row has. */
static int per_register(const assay_mma *mma, assay_mma_operand operand) {
    const int bits = element_bits(mma, operand);
    return bits >= 32 ? 1 : 32 / bits;
}

static int columns_of(const assay_mma *mma, int n) { return mma->n ? mma->n : n; }

int assay_mma_registers(const assay_mma *mma, assay_mma_operand operand, int n) {
    const int lanes = assay_mma_lanes(mma), columns = columns_of(mma, n);
    if (lanes == 0 || (operand == ASSAY_MMA_B && family_of(mma) == GROUP)) return 0;
    if (family_of(mma) == MFMA && mma->a == ASSAY_MMA_F64 && operand == ASSAY_MMA_C) return 0;
    const int elements = operand == ASSAY_MMA_A   ? mma->m * mma->k
                         : operand == ASSAY_MMA_B ? mma->k * columns
                                                  : mma->m * columns;
    return elements / lanes / per_register(mma, operand);
}

/* mma.sync and wgmma, within one warp: rows 0..15 */

static assay_mma_place nvidia_place(const assay_mma *mma, assay_mma_operand operand,
                                    assay_mma_element e) {
    const int per = per_register(mma, operand), bits = element_bits(mma, operand);
    const int warp = e.row / 16, row = e.row % 16;
    if (operand == ASSAY_MMA_C) {
        const int rows = mma->m == 8 ? 1 : 2; /* registers for the rows, times columns */
        const int lane = 32 * warp + 4 * (row % 8) + e.column % 8 / 2;
        const int group = rows * (e.column / 8) + row / 8;
        return per == 2 ? (assay_mma_place){lane, group, 16 * (e.column % 2)}
                        : (assay_mma_place){lane, 2 * group + e.column % 2, 0};
    }
    const int k = operand == ASSAY_MMA_A ? e.column : e.row;
    const int word = k / per, bit = k % per * bits + offset_in_byte(mma, operand);
    if (operand == ASSAY_MMA_B) return (assay_mma_place){4 * e.column + word % 4, word / 4, bit};
    const int rows = mma->m == 8 ? 1 : 2;
    return (assay_mma_place){32 * warp + 4 * (row % 8) + word % 4, row / 8 + rows * (word / 4),
                             bit};
}

static assay_mma_element nvidia_element(const assay_mma *mma, assay_mma_operand operand,
                                        assay_mma_place p) {
    const int per = per_register(mma, operand), bits = element_bits(mma, operand);
    const int warp = p.lane / 32, g = p.lane % 32 / 4, t = p.lane % 4;
    const int rows = mma->m == 8 ? 1 : 2;
    if (operand == ASSAY_MMA_C) {
        const int group = per == 2 ? p.reg : p.reg / 2, odd = per == 2 ? p.bit / 16 : p.reg % 2;
        return (assay_mma_element){16 * warp + 8 * (group % rows) + g,
                                   8 * (group / rows) + 2 * t + odd};
    }
    const int h = (p.bit - offset_in_byte(mma, operand)) / bits;
    if (operand == ASSAY_MMA_B) return (assay_mma_element){(t + 4 * p.reg) * per + h, g};
    return (assay_mma_element){16 * warp + 8 * (p.reg % rows) + g,
                               (t + 4 * (p.reg / rows)) * per + h};
}

/* MFMA. c: blocks of four rows go round the lanes. */

static assay_mma_place amd_place(const assay_mma *mma, assay_mma_operand operand,
                                 assay_mma_element e) {
    const int size = mma->m, rounds = 64 / size; /* lanes / columns */
    if (operand == ASSAY_MMA_C) {
        const int four = e.row / 4;
        return (assay_mma_place){e.column + size * (four % rounds), 4 * (four / rounds) + e.row % 4,
                                 0};
    }
    const int k = operand == ASSAY_MMA_A ? e.column : e.row;
    const int index = operand == ASSAY_MMA_A ? e.row : e.column;
    const int held = mma->k / rounds, j = k % held, per = per_register(mma, operand);
    return (assay_mma_place){index + size * (k / held), j / per,
                             j % per * element_bits(mma, operand)};
}

static assay_mma_element amd_element(const assay_mma *mma, assay_mma_operand operand,
                                     assay_mma_place p) {
    const int size = mma->m, rounds = 64 / size, index = p.lane % size, part = p.lane / size;
    if (operand == ASSAY_MMA_C)
        return (assay_mma_element){4 * (p.reg / 4 * rounds + part) + p.reg % 4, index};
    const int held = mma->k / rounds, per = per_register(mma, operand);
    const int k = part * held + p.reg * per + p.bit / element_bits(mma, operand);
    return operand == ASSAY_MMA_A ? (assay_mma_element){index, k} : (assay_mma_element){k, index};
}

bool assay_mma_place_of(const assay_mma *mma, assay_mma_operand operand, int n, assay_mma_element e,
                        assay_mma_place *place) {
    if (assay_mma_registers(mma, operand, n) == 0) return false;
    const int rows = operand == ASSAY_MMA_B ? mma->k : mma->m;
    const int columns = operand == ASSAY_MMA_A ? mma->k : columns_of(mma, n);
    if (e.row < 0 || e.row >= rows || e.column < 0 || e.column >= columns) return false;
    *place = family_of(mma) == MFMA ? amd_place(mma, operand, e) : nvidia_place(mma, operand, e);
    return true;
}

bool assay_mma_element_at(const assay_mma *mma, assay_mma_operand operand, int n, assay_mma_place p,
                          assay_mma_element *element) {
    const int bits = element_bits(mma, operand), per = per_register(mma, operand);
    if (p.lane < 0 || p.lane >= assay_mma_lanes(mma) || p.reg < 0 ||
        p.reg >= assay_mma_registers(mma, operand, n))
        return false;
    const int bit = p.bit - offset_in_byte(mma, operand);
    if (bit < 0 || bit % bits || bit / bits >= per) return false;
    *element =
        family_of(mma) == MFMA ? amd_element(mma, operand, p) : nvidia_element(mma, operand, p);
    return true;
}

bool assay_mma_scale_place(const assay_mma *mma, assay_mma_operand operand, int index, int block,
                           int thread_id, int byte_id, assay_mma_place *place) {
    if (mma->scale_block == 0 || operand == ASSAY_MMA_C) return false;
    const int scales = mma->k / mma->scale_block;
    const bool a = operand == ASSAY_MMA_A;
    if (index < 0 || index >= (a ? mma->m : mma->n) || block < 0 || block >= scales) return false;
    if (thread_id < 0 || thread_id >= (a ? 2 : 4)) return false;
    if (byte_id < 0 || byte_id + scales > 4 || byte_id % scales) return false;
    place->lane = a ? 4 * (index % 8) + index / 8 + 2 * thread_id : 4 * index + thread_id;
    place->reg = 0;
    place->bit = 8 * (byte_id + block);
    return true;
}
