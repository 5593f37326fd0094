assay_unit(mutate 11 SOURCES mutate.c LIBS assay_harness)
# A change of a source that leaves a mutant without its anchor is seen at once.
add_test(NAME unit.catalogue COMMAND assay mutate --list)
set_tests_properties(unit.catalogue PROPERTIES LABELS unit TIMEOUT 60)
