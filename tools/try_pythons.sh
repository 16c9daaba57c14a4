#!/usr/bin/env bash
# Builds PyGPU's wheel for several Pythons, and tries each in a bare environment.
#
#   tools/try_pythons.sh [PYTHON...]
#
# PYTHON is a version (3.12) or the path of an interpreter. The default is each of 3.10 to 3.15 that is on
# the PATH, among pyenv's, or below build/, for one that tools/fetch_python.sh unpacked there.
# The exit code is 1 if one failed, or none was found.
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1 CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
unset PYTHONPATH
pythons=("$@")
[ $# -gt 0 ] || pythons=(3.10 3.11 3.12 3.13 3.14 3.15)

# The path of an interpreter: the given path, one on the PATH, one of pyenv, or one that was fetched.
find_python() {
    local path
    for path in "$1" "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python \
        "$root/build/python-$1/usr/bin/python$1"; do
        "$path" -c 'import sys; print(sys.executable)' 2>/dev/null && return
    done
    return 1
}

# One environment builds the wheel. Another, with nothing else on the PATH and away from the sources, uses it.
try_python() {
    local python=$1 folder=$2
    "$python" -m venv "$folder/build" && "$python" -m venv "$folder/bare" || return
    "$folder/build/bin/pip" wheel --quiet --no-deps --wheel-dir "$folder" "$root" || return
    cd "$folder" && export PATH=$folder/bare/bin || return
    pip install --quiet --only-binary :all: "$folder"/*.whl || return
    pygpu --help >"$folder/help" && python -W ignore "$root/tests/packaging/smoke.py"
}

tried=0
failed=0
summary=()
for name in "${pythons[@]}"; do
    begin=$SECONDS
    if ! python=$(find_python "$name"); then
        summary+=("$name: not found")
        [ $# -eq 0 ] || failed=1
        continue
    fi
    tried=$((tried + 1))
    mkdir "$work/$tried"
    printf '== %s\n' "$python"
    if (try_python "$python" "$work/$tried"); then
        summary+=("$name: works, $((SECONDS - begin)) s")
    else
        summary+=("$name: FAILED, $((SECONDS - begin)) s")
        failed=1
    fi
done
printf '%s\n' "${summary[@]}"
[ "$failed" -eq 0 ] && [ "$tried" -gt 0 ]
