# Compiler flags that the whole tree shares.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_BUILD_RPATH "$ORIGIN/lib") # see carry.cmake

# POSIX.1-2008 plus the BSD/Linux calls that the executor needs (mmap flags, sigaltstack).
add_compile_definitions(_DEFAULT_SOURCE _POSIX_C_SOURCE=200809L)

# Bits matter everywhere: contraction is off in the whole tree, not only where it is known to matter.
add_compile_options(-Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror -ffp-contract=off)

if(ASSAY_SANITIZE)
    add_compile_options(-fsanitize=${ASSAY_SANITIZE} -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${ASSAY_SANITIZE})
endif()

if(ASSAY_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link) # the fuzzer sees where an input went
endif()

# Counters are atomic, for the executor runs blocks on several threads. In kernels (all that is C++)
# nothing is inlined and unused functions are kept: gcov would add up the instances of an inlined
# template, and not know of a function that nobody calls.
if(ASSAY_MODE STREQUAL "coverage")
    add_compile_options(--coverage -O0 -fprofile-update=atomic
        $<$<COMPILE_LANGUAGE:CXX>:-Dalways_inline=noinline>
        $<$<COMPILE_LANGUAGE:CXX>:-fkeep-inline-functions>)
    add_link_options(--coverage)
endif()

# Code that must have the chips' arithmetic on the host: fused multiply-add in one instruction and
# hardware f16 conversion on x86 (the executor checks for both when it starts), wrapping integers
# and no aliasing assumptions, so that a 32-bit index that wraps on a GPU wraps here too.
set(ASSAY_DEVICE_FLAGS -fwrapv -fno-strict-aliasing -ffp-contract=off)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND ASSAY_DEVICE_FLAGS -march=x86-64-v3)
endif()
# Nearer to the source: what an access checker or a debugger sees is what the kernel says.
if(ASSAY_MODE STREQUAL "checked")
    list(APPEND ASSAY_DEVICE_FLAGS -O1 -fno-tree-vectorize)
endif()
