#!/usr/bin/env bash
# Unpacks Debian's ROCm 5.2.3 runtime and its headers, for tests, into a folder. Needs no root.
#
#   tools/fetch_rocm.sh build/rocm-5.2.3
#
# On a machine without apt, without a network or of another architecture, the tests that need the
# library are skipped, and say so. With CI=true that is an error.
set -u

folder=${1:?usage: fetch_rocm.sh FOLDER}
version=5.2.3-8
# Only those dependencies that libamdhip64-5 needs to be loaded: it opens its compiler (comgr, LLVM)
# only when it compiles.
packages="libamdhip64-5=$version libamdhip64-dev=$version libhsa-runtime64-1 libhsakmt1 libnuma1 libelf1 libdrm2 libdrm-amdgpu1"

give_up() {
    rm -rf "$folder/root"
    echo "fetch_rocm: $1" >&2
    if [ "${CI:-}" = true ]; then
        exit 1
    fi
    echo "fetch_rocm: the tests against the real libamdhip64 will be skipped" >&2
    echo "$1" >"$folder/missing"
    exit 0
}

rm -rf "$folder"
mkdir -p "$folder" || exit 1

[ "$(uname -m)" = x86_64 ] || give_up "Debian builds libamdhip64 for x86-64 only, this is $(uname -m)"
why=$("$(dirname "$0")/fetch_debian.sh" "$folder/root" $packages 2>&1) || give_up "$why"
mv "$folder/root/usr/lib/x86_64-linux-gnu" "$folder/lib" || give_up "the packages hold no libraries"
mv "$folder/root/usr/include" "$folder/include" || give_up "the packages hold no headers"
rm -rf "$folder/root"
touch "$folder/stamp"
echo "fetch_rocm: $(ls "$folder/lib" | wc -l) files in $folder/lib"
