#!/bin/sh
# Builds driver.cpp with every compiler at hand, unoptimised and optimised, and fails when two digests differ.
# Usage: compare.sh SOURCE_DIRECTORY WORK_DIRECTORY COMPILER…
set -eu
source=$1
work=$2
shift 2
mkdir -p "$work"
first=
builds=0
tried=
for compiler in "$@"; do
  if ! command -v "$compiler" >/dev/null 2>&1; then
    echo "$compiler is not installed: left out"
    continue
  fi
  # The same compiler under a second name, or one too old for coroutines, adds nothing.
  version=$("$compiler" --version | head -n 1 | sed 's|^[^ ]* ||')
  case "$tried" in *"|$version|"*) continue ;; esac
  tried="$tried|$version|"
  case "$version" in *clang*" 14."* | *clang*" 13."*) echo "$version is too old: left out" && continue ;; esac
  for level in -O0 -O2; do
    "$compiler" -std=c++20 $level -ffp-contract=off -I"$source/lib/include" -I"$source/sim/include" -I"$source/sim" \
      "$source/tests/kernel/digest/driver.cpp" "$source"/sim/kernel/*.cpp "$source/sim/device/token_bucket.cpp" \
      "$source/sim/device/hdd_geometry.cpp" -o "$work/driver"
    digest=$("$work/driver")
    echo "$digest  $compiler $level"
    : "${first:=$digest}"
    if [ "$digest" != "$first" ]; then
      echo "the digest differs from the first one: an event's time depends on the compiler"
      exit 1
    fi
    builds=$((builds + 1))
  done
done
if [ "$builds" -lt 2 ]; then
  echo "no compiler found among: $*"
  exit 1
fi
