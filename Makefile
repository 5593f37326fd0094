# Two commands for users: `make check` and `make test`. The build itself is CMake's; the presets are
# in CMakePresets.json, and `make` only strings together what a person would type.

JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# nvcc from PATH, the usual place, or where `ci/bootstrap gpu` puts it.
NVCC := $(firstword $(shell command -v nvcc 2>/dev/null) \
    $(wildcard /usr/local/cuda/bin/nvcc build/tools/cuda/bin/nvcc))
ifneq ($(NVCC),)
export CUDA_HOME ?= $(abspath $(dir $(NVCC))/..)
endif

# The best machine present: an NVIDIA device that nvcc can compile for and that CUDA_VISIBLE_DEVICES
# does not hide (empty or -1), else the executor.
HIDDEN := $(shell [ "$${CUDA_VISIBLE_DEVICES-0}" ] && [ "$${CUDA_VISIBLE_DEVICES-0}" != -1 ] || echo yes)
DEVICE := $(if $(HIDDEN),,$(shell nvidia-smi -L 2>/dev/null | grep -m 1 '^GPU'))
PRESET ?= $(if $(and $(NVCC),$(DEVICE)),cuda,default)
BACKEND := $(if $(and $(NVCC),$(DEVICE),$(filter cuda,$(PRESET))),cuda,simt)

.PHONY: help check test dev coverage verify-fast verify install-hooks interop
help:
	@echo "make check           set up, build, run every kernel through its cases, end with the verdicts"
	@echo "make test            set up, build, run the unit tests (no GPU)"
	@echo "make dev             build only"
	@echo "make coverage        line coverage by the unit tests, held against ci/coverage-floors"
	@echo "make verify-fast     before a push: gates, suites of what changed, smoke grid"
	@echo "make verify          all that needs no GPU: gates, unit tests, also under sanitizers"
	@echo "make install-hooks   let git push wait for verify-fast"
	@echo "make interop         judge what NumPy computes on the weights of a real model"

# CHECK goes to `assay check` as it is: make check CHECK="rms_norm --level ci"
check:
	ci/bootstrap core
	cmake --preset $(PRESET)
	cmake --build --preset $(PRESET) --target assay -j $(JOBS)
	ASSAY_BACKEND=$${ASSAY_BACKEND:-$(BACKEND)} \
	    build/$(PRESET)/assay check $(CHECK) --json build/$(PRESET)/check.json \
	    --html build/$(PRESET)/check.html; code=$$?; \
	    [ $$code -gt 1 ] || echo "report: build/$(PRESET)/check.html"; exit $$code

test:
	ci/bootstrap core
	cmake --preset default
	cmake --build --preset default -j $(JOBS)
	ctest --preset default

dev:
	cmake --preset default
	cmake --build --preset default -j $(JOBS)

coverage:
	ci/bootstrap core
	JOBS=$(JOBS) ci/coverage

verify-fast:
	@JOBS=$(JOBS) ci/verify-fast

verify:
	ci/bootstrap core
	@JOBS=$(JOBS) ci/verify

install-hooks:
	@ci/install-hooks

interop:
	ci/bootstrap interop
	cmake --preset default
	cmake --build --preset default --target assay -j $(JOBS)
	ctest --test-dir build/default -L interop --output-on-failure --no-tests=error
