assay_unit(formats 14 SOURCES formats.c LIBS assay_formats)
