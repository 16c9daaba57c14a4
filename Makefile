# The commands of this repository: `make` lists them. Needs python3 with venv, g++ and make.

PYTHON ?= python3

# Each Python has an environment of its own: .venv for the default, .venv-3.12 and so on for others.
ifeq ($(PYTHON),python3)
VENV := .venv
else
VENV := .venv-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
endif

BIN    := $(VENV)/bin
PY     := $(BIN)/python
PIP    := $(PY) -m pip --disable-pip-version-check
STAMPS := $(VENV)/stamps
ROCM   := build/rocm-5.2.3
NUFFT  := build/cufinufft-2.5.0
PYBIND := build/pybind11-2.11.1

# Extra arguments: make test PYTEST="-k seed"
PYTEST ?=

# A worker that has no tests left takes some from another.
WORKERS := -n auto --dist worksteal

# Tests that need a device, and that also run on the host runtime.
DEVICE_TESTS := $(addprefix tests/,seed/test_habits.py arrays exchange cplusplus/test_devices.py) \
    $(wildcard tests/seed/test_published_*.py)

# In CI warnings are errors, and nothing that the tests need may be missing.
ifdef CI
CMAKE_FLAGS := --config-settings=cmake.define.PYGPU_WERROR=ON
endif

# The packages of libraries' modules, which are wheels of their own.
LIBRARIES := $(patsubst %/CMakeLists.txt,%,$(wildcard packages/pygpu-*/CMakeLists.txt))

SOURCES := pyproject.toml CMakeLists.txt LICENSE README.md \
    $(shell find cmake include src hostgpu generated python -type f ! -name '*.pyc' ! -name '*.so' 2>/dev/null)
LIBRARY_SOURCES := $(shell find $(LIBRARIES) -type f ! -name '*.pyc' 2>/dev/null)

.PHONY: help install libraries demo dev test coverage sanitize sanitize-memory sanitize-threads without-gil mutants mutants-memory mutants-threads lint lint-fast lint-ruff lint-format lint-mypy lint-clang lint-layers lint-tidy format bench regenerate check witness reread pycuda unmodified docs wheel clean
.DELETE_ON_ERROR:

help:
	@echo "make demo        build, install into $(VENV), regenerate the bindings, take the tour"
	@echo "make dev         build into build/dev, with pytest and nothing else, for work on the code"
	@echo "make test        run all tests (PYTEST='-k name' for some, PYTHON=python3.12 for another Python)"
	@echo "make sanitize    the tests of arguments, bad input, arrays, threads and the host runtime under ASan, UBSan and TSan"
	@echo "make without-gil compile the bindings as for a Python without the GIL (PYTHON=python3.13 or later)"
	@echo "make mutants     100,000 pieces of damaged PTX on the host runtime, under ASan and TSan"
	@echo "make coverage    which lines of C++ and Python the tests run (PYTEST as above), into build/coverage/"
	@echo "make install     build and install into $(VENV)"
	@echo "make libraries   the same for the modules of libraries: cuBLAS, NVML, OpenCL and others"
	@echo "make lint        ruff, mypy, clang-format, clang-tidy, the order of includes, and whether what is generated is up to date"
	@echo "make format      format Python and handwritten C++"
	@echo "make regenerate  write generated/ and the stubs anew from api_specs/"
	@echo "make witness     compare the bindings with other sources about the APIs: profilers' tables, other packages"
	@echo "make reread      read all listed releases' headers again: nothing may change"
	@echo "make pycuda      PyCUDA's own tests on the host runtime, with renamed imports; downloads its source"
	@echo "make docs        the documentation as a site, into build/docs/html; warnings are errors"
	@echo "make wheel       a wheel for this Python and machine, repaired to manylinux, and the generator's, into dist/"
	@echo "make bench       import time, calls and arrays, beside other packages where installed; the host runtime's speed"
	@echo "make clean       remove all that these commands made"

demo: $(STAMPS)/build
	@# The demo's tools are fetched while the compilers run. pip installs the package when it is done with them.
	@$(MAKE) --no-print-directory -j2 $(STAMPS)/built $(STAMPS)/demo
	@$(MAKE) --no-print-directory $(STAMPS)/package
	@echo "== Regenerate the bindings from api_specs/ =="
	$(PY) -m generator regenerate
	$(PY) -m generator coverage
	@echo "== What PyGPU sees on this machine =="
	@# Its exit code says whether a device answers; the demo goes on without one.
	$(PY) -m PyGPU || true
	@echo "== Tour =="
	$(PY) examples/tour.py
	@echo "== CUDA C++ from source to result =="
	$(PY) examples/saxpy.py
	$(PY) examples/multiply_them.py

dev: PRESET := dev
dev: $(STAMPS)/dev
	$(CONFIGURE) $(if $(CI),-DPYGPU_WERROR=ON)
	$(BUILD)
	$(if $(PYTEST),PYGPU_BACKEND=host PYTHONPATH=$(abspath build/dev/python) $(PY) -m pytest $(WORKERS) $(PYTEST))
	@echo "Try it:  PYTHONPATH=build/dev/python $(PY)"
	@echo "Test it: PYGPU_BACKEND=host PYTHONPATH=build/dev/python $(PY) -m pytest tests/arrays"

test: $(STAMPS)/package $(STAMPS)/libraries $(STAMPS)/test $(ROCM)/stamp $(NUFFT)/stamp $(PYBIND)/stamp
	@echo "== The published habits on the host runtime =="
	@# The other tests choose themselves what they run on.
	PYGPU_BACKEND=host $(PY) -m pytest -q -m device $(WORKERS) $(DEVICE_TESTS)
	@echo "== All tests =="
	$(PY) -m pytest $(WORKERS) $(PYTEST)

# The sanitized builds are separate. The interpreters of the tests load g++'s sanitizers before all else. An allocation
# that is too large is a MemoryError there, too.
sanitize: sanitize-memory sanitize-threads

SANITIZED = build/sanitize/$(PRESET)
HOST_TESTS := $(addprefix tests/host/test_,process.py controls.py order.py graphs.py)

# CMakePresets.json has the settings of each build.
CONFIGURE = PATH="$(abspath $(BIN)):$$PATH" cmake --preset $(PRESET) -DPython_EXECUTABLE=$(abspath $(PY))
BUILD     = PATH="$(abspath $(BIN)):$$PATH" cmake --build --preset $(PRESET)

define build-sanitized
$(CONFIGURE)
$(BUILD)
$(SANITIZED)/host_stress
endef

# Tests of the build, with g++'s libraries $(PRELOADED) loaded before all else.
TEST_SANITIZED = LD_PRELOAD="$(foreach library,$(PRELOADED),$$(g++ -print-file-name=$(library)))" \
    PYTHONMALLOC=malloc PYTHONPATH=$(abspath $(SANITIZED))/python

sanitize-memory: PRESET := memory
sanitize-memory: PRELOADED := libasan.so libstdc++.so.6
sanitize-memory: export UBSAN_OPTIONS := print_stacktrace=1
sanitize-memory: export ASAN_OPTIONS := detect_leaks=0:allocator_may_return_null=1
sanitize-memory: $(STAMPS)/build $(STAMPS)/test
	$(build-sanitized)
	@# test_hostile.py calls each form of each function. Releases between the oldest and the newest differ only in values.
	$(TEST_SANITIZED) $(PY) -m pytest -m "not between" tests/standin $(HOST_TESTS) tests/behaviour tests/host/ptx $(WORKERS) $(PYTEST)
	$(TEST_SANITIZED) PYGPU_BACKEND=host $(PY) -m pytest tests/arrays tests/exchange tests/ipc --ignore=tests/arrays/test_hip.py $(WORKERS) $(PYTEST)

# Shows which lines of C++ and Python the tests run. Clang's counters cost little: a process that ends adds its counts
# to one of a few files. Three kinds of tests are left out: tests that only build, lint or read; tests of whole
# releases, which run long and reach no further line; and tests that coverage.py can't measure. coverage.py traces
# threads: a child that is forked beside a traced thread may wait for a lock of coverage.py for ever, and in CPython
# 3.11 a traced thread doesn't go on while a signal waits for the main thread. Fails below these percentages of lines.
CPP_FLOOR    := 94
PYTHON_FLOOR := 95
COVERED      := build/coverage
COUNTED      := -O1 -fprofile-instr-generate -fcoverage-mapping -fprofile-list=$(abspath tools/covered.list)
UNCOUNTED    := apis packaging tools stubs docs benchmarks generator/test_unlisted.py generator/test_later_release.py \
    loading/test_at_once.py::test_forked_between_the_import_and_the_first_call \
    arrays/test_ways.py::test_ctrl_c_ends_a_copy_and_leaves_nothing_running
coverage: export COVERAGE_FILE := $(abspath $(COVERED)/data/python)
coverage: export LLVM_PROFILE_FILE := $(abspath $(COVERED)/data)/%4m.profraw
coverage: export PYTHONPATH := $(abspath $(COVERED)/python)
coverage: $(STAMPS)/build $(STAMPS)/test $(STAMPS)/coverage $(ROCM)/stamp $(NUFFT)/stamp $(PYBIND)/stamp
	@echo 'int main() {}' | clang++ $(COUNTED) -x c++ - -o /dev/null && llvm-profdata show --help >/dev/null && \
	    llvm-cov --version >/dev/null || { echo "make coverage needs clang++ with its libclang-rt, and llvm's tools:" \
	    "on Debian 12 the packages clang, libclang-rt-14-dev and llvm"; exit 1; }
	PATH="$(abspath $(BIN)):$$PATH" cmake -S . -B $(COVERED) -G Ninja -DSKBUILD=ON -DCMAKE_CXX_COMPILER=clang++ \
	    -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="$(COUNTED)" \
	    -DPython_EXECUTABLE=$(abspath $(PY)) -DCMAKE_LIBRARY_OUTPUT_DIRECTORY=$(abspath $(COVERED))/python/PyGPU
	PATH="$(abspath $(BIN)):$$PATH" cmake --build $(COVERED)
	cp -R $$(find python/PyGPU -mindepth 1 -maxdepth 1 ! -name '*.so') include cmake $(COVERED)/python/PyGPU
	cp $(COVERED)/PyGPUConfigVersion.cmake $(COVERED)/python/PyGPU/cmake
	rm -rf $(COVERED)/data && mkdir $(COVERED)/data
	@# Without CI: the modules of libraries aren't built, and their tests are left out.
	-CI= $(PY) -m coverage run -m pytest -q $(WORKERS) $(or $(PYTEST),-m "not between" $(UNCOUNTED:%=--deselect=tests/%))
	-PYGPU_BACKEND=host $(PY) -m coverage run -m pytest -q -m device $(WORKERS) $(or $(PYTEST),$(DEVICE_TESTS))
	$(PY) -m coverage combine -q $(COVERED)/data
	$(PY) -m coverage html -q -d $(COVERED)/html-python
	@# With PYTEST only some tests run, so there is no floor.
	$(PY) tools/cpp_coverage.py $(COVERED) $(COVERED)/data $(if $(PYTEST),0,$(CPP_FLOOR))
	$(PY) -m coverage report --skip-covered --skip-empty --fail-under=$(if $(PYTEST),0,$(PYTHON_FLOOR))
	@echo "The lines: $(COVERED)/html-python/index.html and $(COVERED)/html-cpp/index.html"

# Python itself is not instrumented. TSan sees the GIL like any other lock.
sanitize-threads: PRESET := threads
sanitize-threads: PRELOADED := libtsan.so
sanitize-threads: export TSAN_OPTIONS := halt_on_error=1 suppressions=$(abspath tests/host/races.txt)
sanitize-threads: $(STAMPS)/build $(STAMPS)/test
	$(build-sanitized)
	$(TEST_SANITIZED) $(PY) -m pytest tests/threads $(HOST_TESTS) $(WORKERS) $(PYTEST)

# Compiles only: objects have another layout in an interpreter that can run the result. Older headers know no
# Py_GIL_DISABLED.
without-gil: PRESET := without-gil
without-gil: $(STAMPS)/build
	$(PY) -c 'import sys; assert sys.version_info >= (3, 13), "PYTHON must be 3.13 or later"'
	$(CONFIGURE) $(if $(CI),-DPYGPU_WERROR=ON)
	$(BUILD)

# Runs damaged PTX of the tests' kernels: MUTANTS pieces under ASan and UBSan, and as many under TSan on eight threads.
MUTANTS ?= 100000
mutants: mutants-memory mutants-threads
mutants-memory: PRESET := memory
mutants-memory: AT_ONCE := 1
mutants-threads: PRESET := threads
mutants-threads: AT_ONCE := 8
mutants-memory mutants-threads: $(STAMPS)/package $(STAMPS)/test
	PYGPU_BACKEND=host $(PY) -m tests.host.ptx.write_corpus $(SANITIZED)/ptx
	$(CONFIGURE)
	$(BUILD) --target host_mutants
	TSAN_OPTIONS=halt_on_error=1 $(SANITIZED)/host_mutants $$(($(MUTANTS) / $(AT_ONCE))) 1 $(AT_ONCE) $(SANITIZED)/ptx/*.ptx

install: $(STAMPS)/package

libraries: $(STAMPS)/package $(STAMPS)/libraries

# One target a linter, so that `make -k lint` shows what all of them have to say.
lint: lint-fast lint-tidy
lint-fast: lint-ruff lint-format lint-mypy lint-clang lint-layers check

lint-ruff: $(STAMPS)/lint
	$(BIN)/ruff check .

lint-format: $(STAMPS)/lint
	$(BIN)/ruff format --check .

lint-layers:
	$(PYTHON) tools/check_layers.py

lint-mypy: $(STAMPS)/lint $(STAMPS)/demo
	$(BIN)/mypy generator
	MYPYPATH=. $(BIN)/mypy packages/pygpu-generator/pygpu_generator
	@# The package as it is with all libraries' modules installed.
	rm -rf build/typed && mkdir -p build/typed/PyGPU
	ln -s $(abspath $(wildcard $(addsuffix /PyGPU/*,python $(LIBRARIES:%=%/python)))) build/typed/PyGPU
	cd build/typed && $(abspath $(BIN))/mypy --config-file ../../pyproject.toml -p PyGPU

lint-clang: $(STAMPS)/lint
	find src hostgpu include tests/cplusplus tools -regex '.*\.[ch]\(pp\)?' -exec $(BIN)/clang-format --dry-run -Werror {} +

# Also the gate for clang's own warnings, since clang-tidy is clang's front end. TIDY=ptx checks only files with `ptx`
# in their path.
lint-tidy: $(STAMPS)/lint $(STAMPS)/build
	PATH="$(abspath $(BIN)):$$PATH" cmake -S . -B build/tidy -G Ninja -DSKBUILD=ON \
	    -DPYGPU_PRECOMPILE=OFF -DPython_EXECUTABLE=$(abspath $(PY)) >/dev/null
	$(PY) tools/tidy.py $(BIN)/clang-tidy build/tidy $(TIDY)

format: $(STAMPS)/lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	find src hostgpu include tests/cplusplus tools -regex '.*\.[ch]\(pp\)?' -exec $(BIN)/clang-format -i {} +

regenerate: $(STAMPS)/demo
	$(PY) -m generator regenerate

check: $(STAMPS)/demo
	$(PY) -m generator check

# Reads only those of ROCm's profiler headers that are present.
witness: $(STAMPS)/demo $(ROCM)/stamp
	$(PY) -m generator witness --allow-missing

# Fetches the headers of all listed releases, and reads them again.
reread: $(STAMPS)/test $(ROCM)/stamp
	PYGPU_FETCH=1 $(PY) -m pytest tests/generator/test_reread.py tests/generator/test_right_or_raw.py $(WORKERS) $(PYTEST)

# PyCUDA's own tests, with renamed imports.
pycuda: $(STAMPS)/package $(STAMPS)/test
	$(PY) -m pip install -q pytools
	PYGPU_BACKEND=host $(PY) tools/pycuda_tests.py $(WORKERS) $(PYTEST)

# Programs of PyTorch, Triton, Numba and cuda.core on the host runtime, and monitors of devices: a download of some
# gigabytes.
unmodified: $(STAMPS)/package $(STAMPS)/test
	$(PY) -m pip install -q -r requirements/peers.txt
	$(PY) -m pytest tests/host/test_run.py tests/host/test_nvml.py $(PYTEST)

docs: $(STAMPS)/package $(STAMPS)/demo $(STAMPS)/docs
	rm -rf build/docs/reference
	$(PY) -m generator reference build/docs/reference
	$(PY) -m tools.docs_site build/docs/source --reference build/docs/reference
	$(BIN)/sphinx-build -q -W --keep-going build/docs/source build/docs/html
	@echo "The site is at build/docs/html/index.html"

wheel: $(STAMPS)/build $(STAMPS)/wheel
	rm -rf build/wheel dist/pygpu_generator-*.whl
	PATH="$(abspath $(BIN)):$$PATH" $(PY) -m build --wheel --no-isolation --outdir build/wheel
	PATH="$(abspath $(BIN)):$$PATH" $(PY) -m auditwheel repair --wheel-dir dist build/wheel/*.whl
	for wheel in dist/*.whl; do $(PY) -m auditwheel show $$wheel || exit 1; done
	$(PY) -m build --wheel --no-isolation --outdir dist packages/pygpu-generator
	for package in $(LIBRARIES); do \
	    PATH="$(abspath $(BIN)):$$PATH" $(PY) -m build --wheel --no-isolation --outdir build/wheel $$package && \
	    PATH="$(abspath $(BIN)):$$PATH" $(PY) -m auditwheel repair --exclude libpygpu_glue.so --wheel-dir dist build/wheel/$$(basename $$package | tr - _)-*.whl || exit 1; \
	done

bench: $(STAMPS)/package $(STAMPS)/demo
	$(PY) benchmarks/import_time.py
	$(PY) benchmarks/call_overhead.py
	$(PY) benchmarks/arrays.py
	folder=$$($(PY) -c 'import PyGPU; print(PyGPU.__path__[0])') && mkdir -p build && \
	    $(CXX) -std=c++20 -O2 -Igenerated benchmarks/host_runtime.cpp -o build/host_runtime \
	    -L$$folder -lpygpu_host -Wl,-rpath,$$folder && build/host_runtime

clean:
	rm -rf .venv .venv-* build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp stands for a finished step; it is made again when what the step used has changed.
$(STAMPS)/venv:
	@echo "== Create $(VENV) =="
	$(PYTHON) -m venv $(VENV)
	@$(PY) tools/check_machine.py
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/build $(STAMPS)/dev $(STAMPS)/demo $(STAMPS)/test $(STAMPS)/lint $(STAMPS)/docs $(STAMPS)/wheel $(STAMPS)/coverage: $(STAMPS)/%: requirements/%.txt $(STAMPS)/venv
	@echo "== Install requirements/$*.txt into $(VENV) =="
	$(PIP) install --quiet -r $<
	@touch $@

$(STAMPS)/demo: requirements/demo.txt
$(STAMPS)/dev: requirements/build.txt
$(STAMPS)/test: $(addprefix requirements/,build.txt demo.txt docs.txt lint.txt wheel.txt)

$(STAMPS)/built: $(STAMPS)/build $(SOURCES)
	@echo "== Build PyGPU =="
	@rm -rf $(VENV)/package
	$(PIP) wheel --quiet --no-build-isolation --no-deps $(CMAKE_FLAGS) --wheel-dir $(VENV)/package .
	@touch $@

$(STAMPS)/package: $(STAMPS)/built
	@echo "== Install PyGPU into $(VENV) =="
	$(PIP) install --quiet --force-reinstall --no-deps $(VENV)/package/*.whl
	$(PIP) install --quiet numpy
	@touch $@

# Each time that PyGPU is built, too: they use its C++.
$(STAMPS)/libraries: $(STAMPS)/built $(LIBRARY_SOURCES)
	@echo "== Build and install the modules of libraries =="
	@rm -rf $(VENV)/libraries
	$(PIP) wheel --quiet --no-build-isolation --no-deps $(CMAKE_FLAGS) --wheel-dir $(VENV)/libraries $(LIBRARIES:%=./%)
	$(PIP) install --quiet --force-reinstall --no-deps $(VENV)/libraries/*.whl
	@touch $@

# Only the Python source of cufinufft; its wheel also contains GPU code.
$(NUFFT)/stamp: | $(STAMPS)/test
	@echo "== Fetch PyPI's cufinufft 2.5.0, as source, into $(NUFFT) =="
	$(PIP) -q download --no-deps --no-binary :all: --no-build-isolation -d $(NUFFT) cufinufft==2.5.0
	tar -xzf $(NUFFT)/cufinufft-2.5.0.tar.gz -C $(NUFFT) --strip-components=3 cufinufft-2.5.0/python/cufinufft/cufinufft
	@touch $@

# An old pybind11. Its modules must work beside those of the new one.
$(PYBIND)/stamp: | $(STAMPS)/test
	@echo "== Fetch pybind11 2.11.1 into $(PYBIND) =="
	$(PIP) install --quiet --no-deps --target $(PYBIND) pybind11==2.11.1
	@touch $@

$(ROCM)/stamp: tools/fetch_rocm.sh tools/fetch_debian.sh
	@echo "== Fetch Debian's ROCm 5.2.3 runtime into $(ROCM) =="
	bash tools/fetch_rocm.sh $(ROCM)
