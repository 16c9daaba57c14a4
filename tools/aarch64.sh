#!/usr/bin/env bash
# Builds PyGPU for aarch64 on an x86-64 machine, and runs programs with that build under qemu.
#
#   tools/aarch64.sh build                                  # into build/aarch64; takes minutes
#   tools/aarch64.sh run python -m pytest tests/structs     # any command
#
# Needs Debian's packages g++-aarch64-linux-gnu, qemu-user-static and proot, and .venv with requirements/build.txt (`make
# dev` makes it); no root. build/aarch64-root gets the files of an aarch64 Debian, build/aarch64-venv what tests need of
# PyPI.
set -eu
cd "$(dirname "$0")/.."
root=$PWD/build/aarch64-root
venv=$PWD/build/aarch64-venv
build=$PWD/build/aarch64
export PATH=$PWD/.venv/bin:$PATH
# What is installed of requirements/test.txt, beside demo.txt. The rest is large, or has no wheels for aarch64.
packages='pytest|pytest-xdist|hypothesis|packaging|pyyaml|cffi|ml_dtypes|pybind11'
packages+='|nvidia-(cuda-(cccl|crt)|nvjitlink|curand)'

for tool in aarch64-linux-gnu-g++ qemu-aarch64-static proot cmake; do
    command -v "$tool" >/dev/null || { echo "aarch64: no $tool here" >&2; exit 1; }
done

# Runs a command in the other system, where the repository has the same path as here. Child processes run there, too.
emulated() {
    local path bound=()
    for path in /dev /proc /sys /tmp /etc/{hosts,passwd,group,resolv.conf,ssl} "$PWD"; do
        [ -e "$path" ] && bound+=(-b "$path")
    done
    proot -q qemu-aarch64-static -r "$root" "${bound[@]}" -w "$PWD" \
        /usr/bin/env PATH="$venv/bin:/usr/bin:/bin" PYTHONPATH="$build/python" "$@"
}

case ${1:-} in
build)
    [ -d "$root" ] || bash tools/fetch_debian.sh --foreign arm64 "$root" \
        python3-dev python3-venv libstdc++6 bash coreutils dash binutils git grep sed
    cmake -S . -B "$build" -G Ninja --toolchain cmake/aarch64.cmake -DPYGPU_AARCH64_ROOT="$root" \
        -DPython_EXECUTABLE="$PWD/.venv/bin/python" -DPYGPU_WERROR=ON -DPYGPU_EXTRAS=all
    cmake --build "$build"
    if [ ! -e "$venv/complete" ]; then
        emulated python3 -m venv --clear "$venv"
        emulated pip install --quiet -r requirements/demo.txt \
            $(grep -oE "^($packages)(==|>=)[^ ;]*" requirements/test.txt)
        touch "$venv/complete"
    fi
    ;;
run)
    shift
    emulated "$@"
    ;;
*)
    echo "usage: tools/aarch64.sh build | run COMMAND..." >&2
    exit 2
    ;;
esac
