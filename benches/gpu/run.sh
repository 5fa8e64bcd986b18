#!/usr/bin/env bash
# Measures every GPU figure of the book in one go. Needs an NVIDIA GPU with its driver, nvcc and cuBLAS; PyTorch where the
# vendor's libraries are to be measured too. Rust and a network are not needed: `lab` comes from `pack.sh`.
# Usage: benches/gpu/run.sh [FOLDER]; raw results go there, `results` beside this script if none is given.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../.." && pwd)"
results="${1:-$here/results}"
mkdir -p "$results"
WARPLAB_COMMIT="$(cat "$root/commit" 2>/dev/null || git -C "$root" rev-parse --short=12 HEAD)"
export WARPLAB_COMMIT

for tool in nvidia-smi nvcc; do
    command -v "$tool" >/dev/null || { echo "$tool is not on the PATH: this script measures on a machine with a GPU and the CUDA toolkit" >&2; exit 2; }
done
capability="$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)"

build="$(mktemp -d)"
trap 'rm -rf "$build"' EXIT
# Where nvcc can, on all cores: the convolutions of every radius take a minute and a half otherwise.
cores=()
if [[ "$(nvcc --help)" == *--split-compile* ]]; then cores=(--split-compile 0); fi
nvcc -O3 -std=c++17 -diag-suppress 128 "${cores[@]}" "-arch=sm_$capability" -o "$build/bench" "$here/bench.cu" -lcublas
# Clock, power and what holds the clock down, five times a second while it runs.
nvidia-smi --query-gpu=timestamp,clocks.sm,clocks.mem,power.draw.instant,clocks_event_reasons.active --format=csv -lms 200 >"$results/clocks.csv" &
watch=$!
trap 'kill "$watch" 2>/dev/null || true; rm -rf "$build"' EXIT
"$build/bench" >"$results/bench.jsonl"
kill "$watch" 2>/dev/null || true
grep '"application"' "$results/bench.jsonl" >"$results/application.jsonl"
echo "bench: $(wc -l <"$results/bench.jsonl") lines in $results/bench.jsonl"

if python3 -c 'import torch' 2>/dev/null; then
    python3 "$here/vendor.py" >"$results/vendor.jsonl"
    echo "vendor: $(wc -l <"$results/vendor.jsonl") lines in $results/vendor.jsonl"
else
    echo "vendor: skipped, python3 has no torch"
fi

if [[ -x "$root/lab" ]]; then
    cd "$root"
    ./lab run all --solution --on both --json >"$results/labs.json"
    ./lab run all --best --on both --json >"$results/best.json"
    echo "labs: $results/labs.json, $results/best.json"
else
    echo "labs: skipped, there is no program $root/lab (pack.sh brings it)"
fi
