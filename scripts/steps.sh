# What scripts/run and scripts/test share: announced steps with a log each, packages, configure, build. Sourced, not run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${PRESET:-default}  # a preset of CMakePresets.json
build_dir=build/$preset
log_dir=$build_dir/logs
mkdir -p "$log_dir"

say() { printf '%s\n' "$*" >&2; }

# step NAME TITLE COMMAND..: runs COMMAND with its output in a log; from the first second on shows title and the log's last line, names the log
# when it fails. So what has nothing to do says nothing. Steps of two scripts in one build folder take turns.
step() {
  local name=$1 title=$2 log=$log_dir/$1.log start=$SECONDS pid shown='' line turn
  shift 2
  exec {turn}>"$log_dir/turn"
  flock --nonblock "$turn" || { say "== Waiting for another script that is at work in $build_dir"; flock "$turn"; }
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  trap 'kill "$pid" 2>/dev/null || true' INT TERM
  local tick=0
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.2
    tick=$((tick + 1))
    [ "$tick" -ne 5 ] || say "== $title"
    [ "$tick" -ge 5 ] || continue
    line=$(tail -n 1 "$log" 2>/dev/null | tr -d '\r\0' | cut -c1-100)
    if [ -t 2 ]; then
      printf '\r\033[K   %s' "$line" >&2
    elif [ $((tick % 75)) -eq 0 ] && [ "$line" != "$shown" ]; then
      say "   $((SECONDS - start)) s: $line"
      shown=$line
    fi
  done
  [ -t 2 ] && printf '\r\033[K' >&2
  trap - INT TERM
  exec {turn}>&-
  if ! wait "$pid"; then
    tail -n 25 "$log" | sed 's/^/   /' >&2
    say "error: the step '$title' failed; its whole output is in $log"
    exit 3
  fi
  [ $((SECONDS - start)) -lt 2 ] || say "   done in $((SECONDS - start)) s"
}

missing_packages() {  # LISTS.. of scripts/packages
  sed 's/#.*//; /^ *$/d' "${@/#/scripts/packages/}" | while read -r package; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' || printf '%s ' "$package"
  done
}

apt_install() {  # AS_ROOT_PREFIX.. -- PACKAGES..
  local as_root=()
  while [ "$1" != -- ]; do as_root+=("$1"); shift; done
  shift
  "${as_root[@]}" apt-get update
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

install_packages() {  # LISTS.. of scripts/packages: run, test, nightly
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "note: this is not a Debian machine; expecting what scripts/packages lists to be installed already"
    return
  fi
  local missing
  read -r -a missing <<<"$(missing_packages "$@")"
  [ ${#missing[@]} -gt 0 ] || return 0
  local title="Installing ${#missing[@]} Debian packages"
  if [ "$(id -u)" -eq 0 ]; then
    step packages "$title" apt_install -- "${missing[@]}"
  elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; }; then
    step packages "$title with sudo" apt_install sudo -- "${missing[@]}"
  else
    say "error: ${#missing[@]} Debian packages are missing and this user cannot install them; as root, type:"
    say "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    exit 3
  fi
}

# The compiler of what is built with sanitizers: it takes a quarter of GCC's time for them.
use_clang() {
  local version
  version=$(sed -n 's/^clang-//p' scripts/packages/nightly)
  install_packages nightly
  export CC=clang-$version CXX=clang++-$version
}

# NCCL's header and library, from PyPI, into a Python environment of the build's own: where there is a CUDA compiler, but no NCCL.
nccl_from_pypi() {
  local nvcc=$1 major
  major=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
  python3 -m venv build/nccl && build/nccl/bin/pip install --disable-pip-version-check "nvidia-nccl-cu$major" ||
    rm -rf build/nccl  # it is optional: the summary of the configuration says that it is not there
}

install_nccl() {
  local nvcc
  [ ! -f "$build_dir/build.ninja" ] && [ -z "${ZEROCTS_NCCL_HOME:-}" ] || return 0
  nvcc=$(PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin command -v nvcc) || return 0
  local header
  for header in "$(dirname "$nvcc")/../include/nccl.h" /usr/include/nccl.h build/nccl/lib/python3*/site-packages/nvidia/nccl/include/nccl.h \
                "${VIRTUAL_ENV:-/nowhere}"/lib/python3*/site-packages/nvidia/nccl/include/nccl.h; do
    [ ! -e "$header" ] || return 0
  done
  step nccl "Fetching NCCL (some 300 MB)" nccl_from_pypi "$nvcc"
}

configure() {  # [without_tests]: of a new build folder only, and until something asks for tests
  install_nccl
  local tests=ON
  [ "${1:-}" != without_tests ] || tests=OFF
  if [ -f "$build_dir/build.ninja" ]; then
    [ $tests = ON ] && grep -q '^BUILD_TESTING:BOOL=OFF' "$build_dir/CMakeCache.txt" || return 0
  fi
  step configure "Configuring (preset $preset)" cmake --preset "$preset" -DBUILD_TESTING=$tests
}

build() {  # TARGETS..
  step build "Building $* (once; later calls reuse it)" env NINJA_STATUS='[%f/%t] ' ninja -C "$build_dir" "$@"
}
