/* The source line of a PC, from the DWARF line table (.debug_line, versions 2 to 5) of the file
 * that holds it. Read when a finding is worded, never before: a scan of one file's whole table,
 * without an index. Of the name only what follows the last slash matters to a message, so folders
 * are skipped.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

/* A cursor that reads zeros beyond its end. */
typedef struct reader {
    const unsigned char *at, *end;
} reader;

typedef struct section {
    const unsigned char *at;
    size_t size;
} section;

typedef struct object {
    const unsigned char *map;
    size_t size;
    section line, line_text, text; /* .debug_line, .debug_line_str, .debug_str */
} object;

static uint64_t fixed(reader *r, size_t bytes) {
    uint64_t value = 0;
    if ((size_t)(r->end - r->at) < bytes) {
        r->at = r->end;
        return 0;
    }
    for (size_t i = 0; i < bytes && i < 8; i++) value |= (uint64_t)r->at[i] << (8 * i);
    r->at += bytes;
    return value;
}

static uint64_t leb(reader *r, bool is_signed) {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    do {
        byte = (uint8_t)fixed(r, 1);
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while ((byte & 0x80) != 0);
    if (is_signed && shift < 64 && (byte & 0x40) != 0) value |= ~UINT64_C(0) << shift;
    return value;
}

static const char *text_at(reader *r) {
    const unsigned char *end = memchr(r->at, 0, (size_t)(r->end - r->at));
    const char *text = end != NULL ? (const char *)r->at : "";
    r->at = end != NULL ? end + 1 : r->end;
    return text;
}

static const char *text_in(const section *s, uint64_t offset) {
    if (offset >= s->size) return "";
    reader r = {s->at + offset, s->at + s->size};
    return text_at(&r);
}

/* ---- One unit's header and program ---------------------------------------------------------- */

enum { FORMATS = 8 };

typedef struct unit {
    const object *object;
    unsigned version;
    bool wide; /* 64-bit DWARF */
    unsigned step, line_range, opcode_base;
    int line_base;
    uint8_t lengths[256];
    reader files, program; /* the file table, from its format on; the opcodes */
} unit;

static const char *value_of(const unit *u, reader *r, uint64_t form) {
    switch (form) {
    case 0x08: return text_at(r);                                                /* string */
    case 0x1f: return text_in(&u->object->line_text, fixed(r, u->wide ? 8 : 4)); /* line_strp */
    case 0x0e: return text_in(&u->object->text, fixed(r, u->wide ? 8 : 4));      /* strp */
    case 0x0f: leb(r, false); break;                                             /* udata */
    case 0x0b: fixed(r, 1); break;                                               /* data1 */
    case 0x05: fixed(r, 2); break;
    case 0x06: fixed(r, 4); break;
    case 0x07: fixed(r, 8); break;
    case 0x1e: fixed(r, 16); break;                    /* data16: a checksum */
    case 0x09: fixed(r, (size_t)leb(r, false)); break; /* block */
    default: r->at = r->end;                           /* unknown: nothing more can be read */
    }
    return NULL;
}

/* Walks a version 5 table of names; returns number `wanted`, or "" at the end of it. */
static const char *name_in_table(const unit *u, reader *r, uint64_t wanted) {
    uint64_t kind[FORMATS], form[FORMATS];
    const uint64_t formats = fixed(r, 1);
    for (uint64_t i = 0; i < formats; i++) {
        const uint64_t k = leb(r, false), f = leb(r, false);
        if (i < FORMATS) kind[i] = k, form[i] = f;
    }
    const uint64_t count = leb(r, false);
    const char *found = "";
    for (uint64_t n = 0; n < count && formats <= FORMATS && r->at < r->end; n++)
        for (uint64_t i = 0; i < formats; i++) {
            const char *text = value_of(u, r, form[i]);
            if (n == wanted && kind[i] == 1 && text != NULL) found = text; /* DW_LNCT_path */
        }
    return found;
}

static const char *file_name(const unit *u, uint64_t file) {
    reader r = u->files;
    if (u->version >= 5) {
        name_in_table(u, &r, UINT64_MAX); /* folders */
        return name_in_table(u, &r, file);
    }
    while (r.at < r.end && *text_at(&r) != '\0') {
    } /* folders */
    for (uint64_t n = 1; r.at < r.end; n++) {
        const char *name = text_at(&r);
        if (*name == '\0') break;
        if (n == file) return name;
        for (int i = 0; i < 3; i++) leb(&r, false);
    }
    return "";
}

/* The next unit of .debug_line; false at its end, or where it makes no sense. */
static bool next_unit(const object *o, reader *all, unit *u) {
    if (all->end - all->at < 16) return false;
    *u = (unit){.object = o};
    uint64_t length = fixed(all, 4);
    u->wide = length == 0xffffffffu;
    if (u->wide) length = fixed(all, 8);
    if (length > (uint64_t)(all->end - all->at)) return false;
    reader r = {all->at, all->at + length};
    all->at += length;
    u->version = (unsigned)fixed(&r, 2);
    if (u->version >= 5) fixed(&r, 2); /* sizes of addresses and segment selectors */
    const uint64_t header = fixed(&r, u->wide ? 8 : 4);
    if (header > (uint64_t)(r.end - r.at)) return false;
    u->program = (reader){r.at + header, r.end};
    u->step = (unsigned)fixed(&r, 1);
    if (u->version >= 4) fixed(&r, 1); /* operations an instruction */
    fixed(&r, 1);                      /* default of is_stmt */
    u->line_base = (int8_t)fixed(&r, 1);
    u->line_range = (unsigned)fixed(&r, 1);
    u->opcode_base = (unsigned)fixed(&r, 1);
    for (unsigned i = 1; i < u->opcode_base; i++) u->lengths[i] = (uint8_t)fixed(&r, 1);
    u->files = (reader){r.at, u->program.at};
    return true;
}

typedef struct row {
    uint64_t address, file, line;
} row;

/* Runs one extended opcode; true: the sequence ends. */
static bool extended(reader *r, row *now) {
    const uint64_t length = leb(r, false);
    if (length == 0 || length > (uint64_t)(r->end - r->at)) return false;
    reader inside = {r->at, r->at + length};
    r->at += length;
    const uint64_t opcode = fixed(&inside, 1);
    if (opcode == 2) now->address = fixed(&inside, (size_t)length - 1);
    return opcode == 1;
}

/* Runs one standard opcode; true: it adds a row. */
static bool standard(const unit *u, reader *r, unsigned opcode, row *now) {
    switch (opcode) {
    case 1: return true;
    case 2: now->address += leb(r, false) * u->step; break;
    case 3: now->line += leb(r, true); break;
    case 4: now->file = leb(r, false); break;
    case 8: now->address += (255 - u->opcode_base) / u->line_range * u->step; break;
    case 9: now->address += fixed(r, 2); break;
    default:
        for (unsigned i = 0; i < u->lengths[opcode]; i++) leb(r, false);
    }
    return false;
}

/* The row that covers `wanted`, if this unit has it: the last one at or before it. */
static bool search(const unit *u, uint64_t wanted, row *found) {
    const row start = {0, 1, 1};
    row now = start, before = start;
    bool open = false; /* `before` is a row of the sequence */
    reader r = u->program;
    if (u->line_range == 0) return false;
    while (r.at < r.end) {
        const unsigned opcode = (unsigned)fixed(&r, 1);
        bool adds, ends = false;
        if (opcode >= u->opcode_base) {
            const unsigned special = opcode - u->opcode_base;
            now.address += special / u->line_range * u->step;
            now.line += (uint64_t)(u->line_base + (int)(special % u->line_range));
            adds = true;
        } else if (opcode == 0) {
            adds = ends = extended(&r, &now);
        } else {
            adds = standard(u, &r, opcode, &now);
        }
        if (!adds) continue;
        if (open && wanted >= before.address && wanted < now.address) {
            *found = before;
            return true;
        }
        before = now;
        open = !ends;
        if (ends) now = start;
    }
    return false;
}

/* ---- The file ------------------------------------------------------------------------------- */

static bool inside(const object *o, uint64_t offset, uint64_t bytes) {
    return offset <= o->size && bytes <= o->size - offset;
}

static void find_sections(object *o) {
    const Elf64_Ehdr *head = (const void *)o->map;
    if (o->size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shentsize != sizeof(Elf64_Shdr) ||
        !inside(o, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)) ||
        head->e_shstrndx >= head->e_shnum)
        return;
    const Elf64_Shdr *sections = (const void *)(o->map + head->e_shoff);
    const Elf64_Shdr *names = &sections[head->e_shstrndx];
    if (!inside(o, names->sh_offset, names->sh_size)) return;
    const section text = {o->map + names->sh_offset, names->sh_size};
    for (unsigned i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *s = &sections[i];
        const char *name = text_in(&text, s->sh_name);
        if ((s->sh_flags & SHF_COMPRESSED) != 0 || s->sh_type == SHT_NOBITS ||
            !inside(o, s->sh_offset, s->sh_size))
            continue;
        const section found = {o->map + s->sh_offset, s->sh_size};
        if (strcmp(name, ".debug_line") == 0) o->line = found;
        if (strcmp(name, ".debug_line_str") == 0) o->line_text = found;
        if (strcmp(name, ".debug_str") == 0) o->text = found;
    }
}

static void find_line(const object *o, uint64_t address, simt_known_line *out) {
    reader all = {o->line.at, o->line.at + o->line.size};
    unit u;
    row found;
    while (o->line.at != NULL && next_unit(o, &all, &u)) {
        if (!search(&u, address, &found)) continue;
        snprintf(out->file, sizeof out->file, "%s", simt_basename(file_name(&u, found.file)));
        out->line = (int)found.line;
        return;
    }
}

typedef struct module {
    uintptr_t pc, base;
    const char *name;
    unsigned long long unloads;
} module;

static int holds(struct dl_phdr_info *info, size_t size, void *context) {
    module *m = context;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || m->pc - info->dlpi_addr - p->p_vaddr >= p->p_memsz) continue;
        m->base = info->dlpi_addr;
        m->unloads = info->dlpi_subs;
        m->name = info->dlpi_name[0] != '\0' ? info->dlpi_name : "/proc/self/exe";
        return 1;
    }
    return 0;
}

static void read_file(const module *m, simt_known_line *out) {
    struct stat info;
    const int descriptor = open(m->name, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    void *map = MAP_FAILED;
    if (fstat(descriptor, &info) == 0 && info.st_size > 0)
        map = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (map == MAP_FAILED) return;
    object o = {.map = map, .size = (size_t)info.st_size};
    find_sections(&o);
    find_line(&o, m->pc - m->base, out);
    munmap(map, o.size);
}

/* NULL: no file, or no line in it. */
const simt_known_line *simt_line_find(simt_check *check, const void *pc) {
    module m = {.pc = (uintptr_t)pc};
    if (dl_iterate_phdr(holds, &m) == 0) return NULL;
    simt_known_line *known = &check->line[simt_order_mix(m.pc) % SIMT_LINES];
    if (known->pc != pc || known->unloads != m.unloads) {
        *known = (simt_known_line){.pc = pc, .unloads = m.unloads};
        read_file(&m, known);
    }
    return known->file[0] != '\0' ? known : NULL;
}
