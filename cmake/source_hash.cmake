# cmake -DROOT=DIR -DOUT=FILE -P source_hash.cmake: a C file with the hash of all kernel sources.
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/kernels/*.cu ${ROOT}/kernels/*.h
     ${ROOT}/kernels/*.c ${ROOT}/kernels/*.def)
list(SORT sources)
set(all "")
foreach(source ${sources})
    file(SHA256 ${ROOT}/${source} hash)
    string(APPEND all "${source} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
file(CONFIGURE OUTPUT ${OUT} CONTENT "#include \"digests.h\"
const char *assay_kernel_source_hash(void) { return \"${hash}\"; }
")
