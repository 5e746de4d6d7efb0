#!/usr/bin/env bash
# Builds the command with another compiler and compares what it replays, byte for byte.
# usage: same_bytes.sh COMPILER SOURCE_DIR BUILD_DIR COMMAND
set -euo pipefail
compiler=$1 source=$2 build=$3 command=$4
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
  -DBLKPRESS_BUILD_TESTS=OFF -DBLKPRESS_BUILD_BENCH=OFF >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
cmake --build "$build" --target blkpress >"$build.log" 2>&1 || { tail -50 "$build.log"; exit 1; }
for format in json text; do
  "$command" replay --all --format $format >"$build.ours"
  "$command" replay --all --format $format >"$build.again"
  "$build/tools/blkpress" replay --all --format $format >"$build.other"
  cmp "$build.ours" "$build.again"
  cmp "$build.ours" "$build.other"
done
echo "same bytes: $(wc -c <"$build.ours") of text under both compilers, twice"
