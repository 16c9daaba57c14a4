#!/usr/bin/env bash
# Builds the host runtime and its stress test with sanitizers and runs it: ASan with UBSan, then TSan.
#
#   tests/host/sanitize.sh [TURNS A THREAD]
#
# Exit code 1 when a sanitizer found something.
set -eu
cd "$(dirname "$0")/../.."
turns=${1:-60}
compiler=${CXX:-c++}
command -v ccache > /dev/null && compiler="ccache $compiler"
for sanitizer in address,undefined thread; do
    folder=build/sanitized/${sanitizer%%,*}
    mkdir -p "$folder"
    flags="-std=c++20 -O1 -g -Wall -Wextra -Werror -fPIC -fno-strict-aliasing -fsanitize=$sanitizer"
    [ "$sanitizer" = thread ] || flags+=" -fno-sanitize-recover=all"
    flags+=" -Isrc/handwritten -Igenerated"
    objects=()
    for source in $(find src/handwritten/host generated/*/host_*.cpp -name '*.cpp') tests/host/stress.cpp; do
        object=$folder/$(echo "$source" | tr / _).o
        # shellcheck disable=SC2086
        $compiler $flags -c "$source" -o "$object"
        objects+=("$object")
    done
    ${CXX:-c++} -fsanitize="$sanitizer" "${objects[@]}" -o "$folder/stress" -lpthread -ldl
    echo "== $sanitizer"
    TSAN_OPTIONS=halt_on_error=1 "$folder/stress" "$turns"
    PYGPU_HOST_STRICT=1 TSAN_OPTIONS=halt_on_error=1 "$folder/stress" "$turns"
done
