# cmake -DPROGRAMS=a;b -DOUT=DIR -P carry.cmake: a folder that runs on another machine with the same
# processor and a C library no older than this one's: the programs, and in lib/ the shared libraries
# that such a machine may lack. The programs look there first (RUNPATH $ORIGIN/lib).
file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT}/lib)
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${PROGRAMS} RESOLVED_DEPENDENCIES_VAR libraries
     UNRESOLVED_DEPENDENCIES_VAR missing
     PRE_EXCLUDE_REGEXES "^libc\\." "^libm\\." "^ld-linux" "^libpthread" "^librt" "^libdl" "linux-vdso")
if(missing)
    message(FATAL_ERROR "carry: not found: ${missing}")
endif()
foreach(library ${libraries})
    file(COPY ${library} DESTINATION ${OUT}/lib FOLLOW_SYMLINK_CHAIN)
endforeach()
file(COPY ${PROGRAMS} DESTINATION ${OUT})
message(STATUS "carry: ${OUT}")
