#!/usr/bin/env bash
# Brings a fresh Debian 12, Debian 13 or Ubuntu 24.04 to a finished build of blkpress: installs the packages that are
# missing (as root or through sudo), configures and builds. Running it again does only what is still to do.
#
# usage: setup.sh [--preset NAME] [--target NAME] [--developer] [--install-only]
#   --preset NAME    build preset of CMakePresets.json: release (default), dev, asan, tsan, clang
#   --target NAME    build that alone, such as blkpress, the command; default: everything
#   --developer      also install what tests and developers use: clang, clang-format, clang-tidy, sanitizer run times
#   --install-only   install packages and stop
set -euo pipefail
cd "$(dirname "$0")"

preset=release
developer=no
install_only=no
target=all
while [ $# -gt 0 ]; do
  case "$1" in
    --preset) [ $# -ge 2 ] || { echo "setup.sh: --preset needs a name" >&2; exit 2; }; preset=$2; shift ;;
    --target) [ $# -ge 2 ] || { echo "setup.sh: --target needs a name" >&2; exit 2; }; target=$2; shift ;;
    --developer) developer=yes ;;
    --install-only) install_only=yes ;;
    -h|--help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "setup.sh: unknown option '$1' (--preset NAME, --target NAME, --developer, --install-only)" >&2; exit 2 ;;
  esac
  shift
done

say() { printf '== %s\n' "$*" >&2; }

# What the build finds, and nothing else. Tests unpack a golden with gzip and hash with coreutils.
packages=(g++ cmake ninja-build pkg-config gzip coreutils
  liblz4-dev zlib1g-dev libzstd-dev liblzo2-dev libxxhash-dev
  libfmt-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev catch2 libbenchmark-dev)

# The first of several compilers of the clang family that this distribution has.
first_available() {
  for name in "$@"; do
    if apt-cache show "$name" >/dev/null 2>&1; then echo "$name"; return; fi
  done
}

missing() {
  for name in "$@"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || echo "$name"
  done
}

install_missing() {
  local wanted
  wanted=$(missing "$@")
  [ -n "$wanted" ] || return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup.sh: missing packages: ${wanted//$'\n'/ }; run as root or install sudo" >&2; exit 3; }
    as_root=(sudo)
  fi
  say "installing:" $wanted
  if [ -z "${apt_updated:-}" ]; then
    "${as_root[@]}" apt-get update -qq >&2
    apt_updated=yes
  fi
  # shellcheck disable=SC2086
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $wanted >&2
}

if command -v apt-get >/dev/null; then
  install_missing "${packages[@]}"
  if [ "$developer" = yes ]; then
    clang=$(first_available clang-16 clang-18 clang-19)
    version=${clang#clang-}
    if [ -n "$clang" ]; then
      install_missing "clang-$version" "clang-format-$version" "clang-tidy-$version" "libclang-rt-$version-dev"
    fi
  fi
else
  say "no apt-get here: assuming that these are installed: ${packages[*]}"
fi
[ "$install_only" = yes ] && exit 0

say "configuring preset '$preset'"
mkdir -p build
log="build/configure-$preset.log"
cmake --preset "$preset" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
say "building preset '$preset' (the first time takes some minutes)"
cmake --build --preset "$preset" --target "$target" >&2
