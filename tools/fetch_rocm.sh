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
    rm -rf "$folder/work"
    echo "fetch_rocm: $1" >&2
    if [ "${CI:-}" = true ]; then
        exit 1
    fi
    echo "fetch_rocm: the tests against the real libamdhip64 will be skipped" >&2
    echo "$1" >"$folder/missing"
    exit 0
}

rm -rf "$folder"
mkdir -p "$folder/work" || exit 1
folder=$(cd "$folder" && pwd)
work=$folder/work

[ "$(uname -m)" = x86_64 ] || give_up "Debian builds libamdhip64 for x86-64 only, this is $(uname -m)"
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || give_up "no apt-get here"

download() {
    (cd "$work" && apt-get -q=2 "$@" download $packages) >"$work/log" 2>&1
}

# Package lists of our own, from the machine's sources, so that no root is needed.
private_lists() {
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
    : >"$work/status"
    own="-o Dir::State::Lists=$work/lists -o Dir::State::status=$work/status -o Dir::Cache=$work/cache
        -o APT::Sandbox::User=$(id -un) -o Acquire::Languages=none
        -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false"
    apt-get -q=2 $own update >"$work/log" 2>&1
}

if ! download -o APT::Sandbox::User="$(id -un)"; then
    private_lists || give_up "apt-get update failed: $(tail -1 "$work/log")"
    download $own || give_up "apt-get download failed: $(tail -1 "$work/log")"
fi
for package in "$work"/*.deb; do
    dpkg-deb -x "$package" "$work/root" || give_up "could not unpack $package"
done
mv "$work/root/usr/lib/x86_64-linux-gnu" "$folder/lib" || give_up "the packages hold no libraries"
mv "$work/root/usr/include" "$folder/include" || give_up "the packages hold no headers"
rm -rf "$work"
touch "$folder/stamp"
echo "fetch_rocm: $(ls "$folder/lib" | wc -l) files in $folder/lib"
