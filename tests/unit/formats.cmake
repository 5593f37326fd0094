assay_unit(formats 30 SOURCES formats.c format_codes.c format_round.c format_twin.c
           LIBS assay_formats)
