#!/usr/bin/env bash
# Builds and tries PyGPU on a machine with a GPU, where pip reaches no network.
#
#   tools/on_device.sh [FOLDER FOR LOGS AND JSON [STEP...]]
#
# Needs the packages of requirements/build.txt, pytest, pytest-xdist, hypothesis and numpy. Runs the named
# steps, or all, prints their output, and ends with a summary. The exit code is 1 if a step failed.
set -u
cd "$(dirname "$0")/.." || exit 1
out=${1:-build/on_device}
[ $# -gt 0 ] && shift
mkdir -p "$out" && out=$(cd "$out" && pwd)
: >"$out/log"
python=${PYTHON:-python3}
export PYTHONUNBUFFERED=1
unset CI # so that tests of things that can't be fetched here are skipped, and don't fail
steps=("$@")
summary=()
failed=0

asked() {
    local one
    [ ${#steps[@]} -eq 0 ] && return
    for one in "${steps[@]}"; do [ "$one" = "$1" ] && return; done
    return 1
}

step() {
    local name=$1 begin=$SECONDS code
    shift
    asked "$name" || return
    printf '\n== %s: %s\n' "$name" "$*" | tee -a "$out/log"
    "$@" 2>&1 | tee -a "$out/log"
    code=${PIPESTATUS[0]}
    [ "$code" -eq 0 ] || failed=1
    summary+=("$(printf '%-26s exit %-3s %4ss' "$name" "$code" $((SECONDS - begin)))")
}

have() { "$python" -c "import $1" 2>/dev/null; }

# Run all tests at once, then the failed ones once more by themselves, as tests share the GPU's memory and time.
tests() {
    local ignore=()
    have clang || ignore+=(--ignore=tests/{generator,apis,structs/test_makers.py})
    have mypy || ignore+=(--ignore=tests/stubs)
    "$python" -m pytest tests -q -n "$(($(nproc) / 2))" "${ignore[@]}" && return
    "$python" -m pytest tests -q --last-failed "${ignore[@]}"
}

# Check every memory access of these tests and of their child processes.
memcheck() {
    command -v compute-sanitizer >/dev/null || { echo "no compute-sanitizer here"; return 0; }
    local watched=(tests/arrays/test_{against_numpy,beside_streams,beside_peers,gpuarray}.py)
    watched+=(tests/seed/test_published_{arrays,gpuarray}.py tests/kernels/test_{modules,parameters,lifetimes}.py)
    compute-sanitizer --tool memcheck --target-processes all --error-exitcode 9 \
        --report-api-errors no "$python" -m pytest -q -n "$(($(nproc) / 2))" -p no:cacheprovider "${watched[@]}"
}

# For packages that the machine lacks: pip install --target build/needs -r requirements/build.txt cattrs
[ -d build/needs ] && export PYTHONPATH=$PWD/build/needs${PYTHONPATH:+:$PYTHONPATH}

step machine bash -c 'uname -a; nproc; nvidia-smi -L; nvidia-smi --query-gpu=driver_version --format=csv,noheader'
step install "$python" -m pip install --no-build-isolation --no-deps --no-index .
have clang || echo "libclang is not installed: the tests that parse headers are left out"
have mypy || echo "mypy is not installed: tests/stubs is left out"
step behaviour "$python" tests/behaviour/collect.py cuda --store "$out/answers.json"
step behaviour_driver "$python" tests/behaviour/collect.py cu --store "$out/answers-cu.json"
step tests tests
step corpus "$python" -m tests.host.ptx.record "$out/corpus-h200.json"
step ptx "$python" -m pytest -q -p no:cacheprovider tests/host/ptx # the corpus and the opcodes, also on the card
step doctor "$python" -m PyGPU -v
step doctor_json "$python" -m PyGPU --json
step tour "$python" examples/tour.py
step saxpy "$python" examples/saxpy.py
step multiply "$python" examples/multiply_them.py
step double "$python" examples/double_them.py
for program in source_and_cubin streams_overlap double_buffering graph with_cupy with_torch mpi_ring; do
    step "example_$program" "$python" "examples/$program.py"
done
step example_pinned "$python" examples/pinned_pageable.py "$out/pinned_pageable.png"
step example_c_library "$python" examples/c_library/by_ctypes.py
step example_smoothing "$python" examples/without_a_gpu/smoothing.py
step example_without_a_gpu env -C examples/without_a_gpu "$python" -m pytest -q -p no:cacheprovider
step example_on_the_host env -C examples/without_a_gpu PYGPU_BACKEND=host "$python" -m pytest -q -p no:cacheprovider
for program in hello_gpu demo streams_and_events simple_speed_test dump_properties; do
    step "pycuda_$program" "$python" "examples/pycuda/$program.py"
done
step pycuda_fill_gpu_with_nans "$python" examples/pycuda/fill_gpu_with_nans.py 1000000000
for program in by_nvcc by_compile by_pybind11; do
    step "kernels_$program" "$python" "examples/kernels/$program.py"
done
step matrix "$python" tools/exchange_matrix --json "$out/matrix.json"
step import_time "$python" benchmarks/import_time.py --json "$out/import_time.json"
step call_overhead "$python" benchmarks/call_overhead.py --json "$out/call_overhead.json"
step driver_saxpy "$python" benchmarks/saxpy.py --check --json "$out/driver_saxpy.json"
step ptx_speed "$python" benchmarks/ptx.py --json "$out/ptx.json"
step launch "$python" benchmarks/launch.py --check --json "$out/launch.json" --png "$out/launch.png"
step interop "$python" benchmarks/interop.py --json "$out/interop.json"
step between "$python" benchmarks/arrays.py --only between --check --json "$out/between.json"
step several_devices "$python" -m pytest -q -p no:cacheprovider -m gpus tests/arrays # needs two GPUs
step transfer_ways "$python" benchmarks/transfer.py --parts ways --least $((1 << 18)) \
    --json "$out/transfer_ways.json"
step transfer "$python" benchmarks/transfer.py --most $((1 << 30)) --strided $((128 << 20)) \
    --json "$out/transfer.json" --png "$out/transfer.png"
step transfer_large "$python" benchmarks/transfer.py --parts contiguous --least $((4 << 30)) --rounds 2 \
    --json "$out/transfer_large.json"
step arrays "$python" benchmarks/arrays.py --json "$out/arrays.json"
step memcheck memcheck

printf '\n== Summary\n'
printf '%s\n' "${summary[@]}"
grep -hE '^((=+ )?[0-9]+ .*(passed|failed|error)|SKIPPED)' "$out/log" | tail -20
exit $failed
