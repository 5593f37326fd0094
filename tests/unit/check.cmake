# The grid in the unit lane: every case of the ci level as an H200 would be launched, and the smoke
# level with waves of 64 lanes, whose faults no warp of 32 shows. Mutants are killed by these runs
# (lanes[] in tests/harness/mutate_kernel.c): keep the two alike.
add_test(NAME unit.check_h200 COMMAND assay check --level ci --chip h200 --jobs 1 --quiet)
add_test(NAME unit.check_mi300x COMMAND assay check --level smoke --chip mi300x --jobs 1 --quiet)
set_tests_properties(unit.check_h200 unit.check_mi300x PROPERTIES LABELS unit TIMEOUT 120
                     ENVIRONMENT OPENBLAS_NUM_THREADS=1)
