# assay_kernel(FOLDER/NAME): one kernel source, built for every back end that this build has.
#
# A .cu file's language is a property of its directory in CMake, so each back end compiles a small
# generated wrapper that names itself and includes the kernel. HIP is a custom command: CMake's HIP
# language wants a ROCm tree, and Debian's packages are not one.

set(ASSAY_GENERATED ${CMAKE_BINARY_DIR}/generated)

set(ASSAY_CUDA_ARCHS sm_80 sm_89 sm_90a sm_120a)
if(ASSAY_ALL_CHIPS)
    list(INSERT ASSAY_CUDA_ARCHS 3 sm_100a)
endif()
set(ASSAY_HIP_ARCHS gfx90a gfx942)

# The flags that make CUDA and HIP arithmetic IEEE; kernels/device/flag_probe.cu proves them.
set(ASSAY_NVCC_FLAGS -std=c++17 -O3 -fmad=false -ftz=false -prec-div=true -prec-sqrt=true
    --Werror all-warnings -Xcompiler=-Wall,-Wextra,-fPIC)
foreach(arch ${ASSAY_CUDA_ARCHS})
    string(REPLACE "sm_" "compute_" virtual ${arch})
    list(APPEND ASSAY_NVCC_FLAGS -gencode arch=${virtual},code=${arch})
endforeach()
set(ASSAY_HIP_FLAGS -x hip -std=c++17 -O3 -fPIC -ffp-contract=off -fno-fast-math
    -fhip-fp32-correctly-rounded-divide-sqrt -nogpulib -nogpuinc -Wall -Wextra -Werror)
foreach(arch ${ASSAY_HIP_ARCHS})
    list(APPEND ASSAY_HIP_FLAGS --offload-arch=${arch})
endforeach()

if(ASSAY_CUDA)
    find_program(ASSAY_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin REQUIRED)
    get_filename_component(cuda_root ${ASSAY_NVCC} REALPATH)
    get_filename_component(cuda_root ${cuda_root} DIRECTORY)
    get_filename_component(cuda_root ${cuda_root} DIRECTORY)
    find_library(ASSAY_CUDART cudart_static HINTS ${cuda_root}/lib64 ${cuda_root}/lib REQUIRED)
    find_path(ASSAY_CUDA_INCLUDE cuda_runtime.h HINTS ${cuda_root}/include REQUIRED)
endif()
if(ASSAY_HIP)
    find_program(ASSAY_HIP_CLANG NAMES clang++-22 clang++-19 clang++-18 amdclang++ REQUIRED)
    find_library(ASSAY_AMDHIP amdhip64 REQUIRED)
    find_path(ASSAY_HIP_INCLUDE hip/hip_runtime_api.h REQUIRED)
endif()

set(ASSAY_KERNEL_INCLUDES -I${PROJECT_SOURCE_DIR}/kernels -I${PROJECT_SOURCE_DIR}/include
    -I${PROJECT_SOURCE_DIR}/tests)

# Kernels for checked executors: gcc's thread sanitizer instruments every access, and the executor has
# the runtime (reference/simt/check_hooks.c). Every scalar access must stay one, hence no vectoriser.
# Other sanitizers exclude it, and clang's instrumentation is another.
set(ASSAY_CHECKED OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT ASSAY_SANITIZE)
    set(ASSAY_CHECKED ON)
endif()
set(ASSAY_CHECKED_FLAGS -O1 -g1 -fno-tree-vectorize -fsanitize=thread
    --param=tsan-instrument-func-entry-exit=0 -fno-profile-arcs -fno-test-coverage)

# Objects of one kernel source in `out`, a list of generated files; in `out`_checked the source of the
# instrumented twin, which the caller compiles with ASSAY_CHECKED_FLAGS. A kernel whose instance table
# names no AMD chip is not compiled for HIP.
function(assay_compile_kernel source name out)
    set(objects)
    file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/device/*.h
         ${PROJECT_SOURCE_DIR}/kernels/*/*.h ${PROJECT_SOURCE_DIR}/kernels/*/*.def
         ${PROJECT_SOURCE_DIR}/include/assay/*.h)
    find_file(found ${source} PATHS ${PROJECT_SOURCE_DIR}/kernels ${PROJECT_SOURCE_DIR}/tests
              NO_DEFAULT_PATH NO_CACHE REQUIRED)
    set(backends CUDA HIP)
    string(REGEX REPLACE "\\.cu$" ".def" table ${found})
    if(EXISTS ${table})
        file(STRINGS ${table} amd REGEX "^ASSAY_INSTANCE.*(ASSAY_ARCHS_ALL|gfx)")
        if(NOT amd)
            list(REMOVE_ITEM backends HIP)
        endif()
    endif()
    foreach(backend ${backends})
        string(TOLOWER ${backend} suffix)
        if(ASSAY_${backend})
            set(wrapper ${ASSAY_GENERATED}/${name}_${suffix}.cu)
            file(CONFIGURE OUTPUT ${wrapper}
                 CONTENT "#define ASSAY_DEVICE_${backend} 1\n#include \"${source}\"\n")
            set(object ${ASSAY_GENERATED}/${name}_${suffix}.o)
            if(backend STREQUAL "CUDA")
                set(command ${ASSAY_NVCC} ${ASSAY_NVCC_FLAGS} -t 0)
            else()
                set(command ${ASSAY_HIP_CLANG} ${ASSAY_HIP_FLAGS} -isystem ${ASSAY_HIP_INCLUDE})
            endif()
            add_custom_command(OUTPUT ${object}
                COMMAND ${command} ${ASSAY_KERNEL_INCLUDES} -c ${wrapper} -o ${object}
                DEPENDS ${wrapper} ${found} ${headers}
                COMMENT "Compiling ${source} for ${backend}" VERBATIM)
            list(APPEND objects ${object})
        endif()
    endforeach()
    set(wrapper ${ASSAY_GENERATED}/${name}_simt.cpp)
    file(CONFIGURE OUTPUT ${wrapper}
         CONTENT "#define ASSAY_DEVICE_SIMT 1\n#include \"${source}\"\n")
    list(APPEND objects ${wrapper})
    set(${out} ${objects} PARENT_SCOPE)
    set(wrapper ${ASSAY_GENERATED}/${name}_checked.cpp)
    file(CONFIGURE OUTPUT ${wrapper}
         CONTENT "#define ASSAY_DEVICE_SIMT 1\n#define ASSAY_DEVICE_CHECKED 1\n#include \"${source}\"\n")
    set(${out}_checked ${wrapper} PARENT_SCOPE)
endfunction()

# The flag probe: the build stops when a toolchain's flags do not give the arithmetic that the kernels
# count on. For the executor it runs; for CUDA and HIP the assembly is read.
function(assay_flag_probe)
    set(stamps)
    set(probe device/flag_probe.cu)
    set(source ${PROJECT_SOURCE_DIR}/kernels/${probe})
    set(check ${PROJECT_SOURCE_DIR}/cmake/check_flags.cmake)
    if(ASSAY_CUDA)
        set(wrapper ${ASSAY_GENERATED}/flag_probe_ptx.cu)
        set(assembly ${ASSAY_GENERATED}/flag_probe.ptx)
        file(CONFIGURE OUTPUT ${wrapper}
             CONTENT "#define ASSAY_DEVICE_CUDA 1\n#include \"${probe}\"\n")
        set(flags ${ASSAY_NVCC_FLAGS})
        list(FILTER flags EXCLUDE REGEX "^(-gencode|arch=)")
        add_custom_command(OUTPUT ${assembly}.ok
            COMMAND ${ASSAY_NVCC} ${flags} -arch=compute_80 ${ASSAY_KERNEL_INCLUDES} -ptx ${wrapper}
                    -o ${assembly}
            COMMAND ${CMAKE_COMMAND} -DKIND=ptx -DFILE=${assembly} -P ${check}
            COMMAND ${CMAKE_COMMAND} -E touch ${assembly}.ok
            DEPENDS ${wrapper} ${source} ${check} COMMENT "Proving nvcc's arithmetic flags" VERBATIM)
        list(APPEND stamps ${assembly}.ok)
    endif()
    if(ASSAY_HIP)
        set(wrapper ${ASSAY_GENERATED}/flag_probe_isa.cu)
        file(CONFIGURE OUTPUT ${wrapper}
             CONTENT "#define ASSAY_DEVICE_HIP 1\n#include \"${probe}\"\n")
        set(flags ${ASSAY_HIP_FLAGS})
        list(FILTER flags EXCLUDE REGEX "^--offload-arch")
        foreach(arch ${ASSAY_HIP_ARCHS})
            set(assembly ${ASSAY_GENERATED}/flag_probe_${arch}.s)
            add_custom_command(OUTPUT ${assembly}.ok
                COMMAND ${ASSAY_HIP_CLANG} ${flags} --offload-arch=${arch} --offload-device-only
                        -isystem ${ASSAY_HIP_INCLUDE} ${ASSAY_KERNEL_INCLUDES} -S ${wrapper}
                        -o ${assembly}
                COMMAND ${CMAKE_COMMAND} -DKIND=isa -DFILE=${assembly} -P ${check}
                COMMAND ${CMAKE_COMMAND} -E touch ${assembly}.ok
                DEPENDS ${wrapper} ${source} ${check}
                COMMENT "Proving the HIP compiler's arithmetic flags for ${arch}" VERBATIM)
            list(APPEND stamps ${assembly}.ok)
        endforeach()
    endif()

    set(wrapper ${ASSAY_GENERATED}/flag_probe_simt.cpp)
    file(CONFIGURE OUTPUT ${wrapper}
         CONTENT "#define ASSAY_DEVICE_SIMT 1\n#include \"${probe}\"\n")
    add_executable(flag_probe ${wrapper} ${PROJECT_SOURCE_DIR}/kernels/device/flag_probe_main.c)
    target_include_directories(flag_probe PRIVATE ${PROJECT_SOURCE_DIR}/kernels)
    target_compile_options(flag_probe PRIVATE ${ASSAY_DEVICE_FLAGS} -Wno-pedantic)
    target_link_libraries(flag_probe PRIVATE assay_simt)
    set_target_properties(flag_probe PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${ASSAY_GENERATED})
    add_custom_command(OUTPUT ${ASSAY_GENERATED}/flag_probe.ok
        COMMAND flag_probe COMMAND ${CMAKE_COMMAND} -E touch ${ASSAY_GENERATED}/flag_probe.ok
        DEPENDS flag_probe COMMENT "Proving the host compiler's arithmetic flags" VERBATIM)
    add_custom_target(assay_flags_proved DEPENDS ${stamps} ${ASSAY_GENERATED}/flag_probe.ok)
endfunction()
