#!/usr/bin/env bash
# Unpacks packages of this machine's Debian into a folder. Needs no root, and no package lists of the machine.
#
#   tools/fetch_debian.sh FOLDER PACKAGE[=VERSION]...
#   tools/fetch_debian.sh --foreign arm64 FOLDER PACKAGE...    # of that architecture, with all that they depend on
#
# Where that can't be done, the last line on standard error says why, FOLDER is not there, and the exit code is 1.
set -u

foreign=
if [ "${1:-}" = --foreign ]; then
    foreign=${2:?usage: fetch_debian.sh --foreign ARCHITECTURE FOLDER PACKAGE...}
    shift 2
fi
folder=${1:?usage: fetch_debian.sh FOLDER PACKAGE...}
shift

give_up() {
    rm -rf "$folder" "$folder.work"
    echo "fetch_debian: $1" >&2
    exit 1
}

command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || give_up "no apt-get here"
rm -rf "$folder" "$folder.work"
mkdir -p "$folder.work" || exit 1
work=$(cd "$folder.work" && pwd)

download() {
    (cd "$work" && apt-get -q=2 "$@") >"$work/log" 2>&1
}

# Package lists of our own, from the machine's sources.
private_lists() {
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
    : >"$work/status"
    own="-o Dir::State::Lists=$work/lists -o Dir::State::status=$work/status -o Dir::Cache=$work/cache
        -o APT::Sandbox::User=$(id -un) -o Acquire::Languages=none
        -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false"
    [ -z "$foreign" ] || own="$own -o APT::Architecture=$foreign -o APT::Architectures=$foreign"
    apt-get -q=2 $own update >"$work/log" 2>&1
}

if [ -n "$foreign" ]; then
    private_lists || give_up "apt-get update failed: $(tail -1 "$work/log")"
    # By our own lists nothing is installed, so that apt takes all dependencies.
    download $own install --yes --no-install-recommends --download-only "$@" ||
        give_up "apt-get install failed: $(tail -1 "$work/log")"
    mv "$work"/cache/archives/*.deb "$work"
elif ! download -o APT::Sandbox::User="$(id -un)" download "$@"; then
    private_lists || give_up "apt-get update failed: $(tail -1 "$work/log")"
    download $own download "$@" || give_up "apt-get download failed: $(tail -1 "$work/log")"
fi
for package in "$work"/*.deb; do
    dpkg-deb -x "$package" "$work/root" || give_up "could not unpack $package"
done
mv -T "$work/root" "$folder" && rm -rf "$work"
