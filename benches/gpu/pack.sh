#!/usr/bin/env bash
# Packs what `run.sh` needs on a machine that has the card and CUDA, but neither Rust nor a network: the `lab` program,
# the kernels and this folder. Usage: benches/gpu/pack.sh FILE.tar.gz
set -euo pipefail
cd "$(dirname "$0")/../.."
archive="${1:?usage: benches/gpu/pack.sh FILE.tar.gz}"
cargo build --release --package lab
program="$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release/lab"
stage="$(mktemp -d)"
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage/warplab/benches"
cp -r Cargo.toml kernels solutions "$stage/warplab/"
cp -r benches/gpu "$stage/warplab/benches/"
strip -o "$stage/warplab/lab" "$program" 2>/dev/null || cp "$program" "$stage/warplab/lab"
git rev-parse --short=12 HEAD >"$stage/warplab/commit"
tar -czf "$archive" -C "$stage" warplab
echo "$archive: unpack it on the machine with the card and run warplab/benches/gpu/run.sh"
