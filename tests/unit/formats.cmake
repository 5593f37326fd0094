assay_unit(formats 52 SOURCES formats.c format_codes.c format_round.c format_device.c
           format_blocks.c format_gguf.c format_swizzle.c format_twin.c
           LIBS assay_formats)
