#!/bin/bash
# Has a cluster with Slurm grade a folder of submissions:
#
#     submit SUBMISSIONS RESULTS SHARDS [OPTION…]
#
# SHARDS tasks grade a part each, and a job after them writes RESULTS/grades.jsonl. OPTIONs are given to sbatch for both, such as
# --partition=short. This folder, SUBMISSIONS and RESULTS have to be where all nodes see them.
#
# To continue after a task was cancelled or failed, give the same command again.
set -euo pipefail
if [ $# -lt 3 ] || ! [[ $3 =~ ^[1-9][0-9]{0,5}$ ]]; then
    echo "usage: submit SUBMISSIONS RESULTS SHARDS [OPTION of sbatch…]" >&2
    exit 2
fi
submissions=$1 results=$2 shards=$3
shift 3
if [ $# -gt 0 ] && [[ $1 != -* ]]; then
    echo "error: $1 is no option of sbatch; SUBMISSIONS is one folder" >&2
    exit 2
fi

# Slurm runs copies of the scripts, elsewhere. Without $(…), which would take line ends off a name.
here=.
[[ $0 != */* ]] || here=${0%/*}
[[ $here == /* ]] || here=$PWD/$here
[[ $results == /* ]] || results=$PWD/$results
. "$here/files.sh"

if ! [ -d "$submissions" ]; then
    echo "error: $submissions is not a folder" >&2
    exit 2
fi
count=$(files_count "$submissions")
if [ "$count" -eq 0 ]; then
    echo "error: $submissions: there is no .cu file in this folder" >&2
    exit 2
fi
[ "$shards" -le "$count" ] || shards=$count
mkdir -p -- "$results"
# Two tasks must not write one file.
if [ -s "$results/jobs" ] && [ -n "$(squeue --noheader --jobs="$(cat -- "$results/jobs")" 2>/dev/null)" ]; then
    echo "error: jobs $(cat -- "$results/jobs") still write to $results; wait for them, or cancel them with scancel" >&2
    exit 1
fi
# Not of a run before, if this one fails.
rm -f -- "$results/grades.jsonl"

# The scripts write their own logs: in a name for --output, % and \ would not stand for themselves.
common=(--parsable --output=/dev/null "$@")
array=$(sbatch "${common[@]}" --array="1-$shards" "$here/grade.sbatch" \
    "$here" "$PWD" "$submissions" "$results" "$shards" "$(files_checksum "$submissions")")
array=${array%%;*}
echo "$array" >"$results/jobs"
merge=$(sbatch "${common[@]}" --dependency="afterok:$array" --kill-on-invalid-dep=yes "$here/merge.sbatch" \
    "$here" "$PWD" "$results" "$shards" "$count")
merge=${merge%%;*}
echo "$array,$merge" >"$results/jobs"
echo "job $array grades $count files in $shards tasks, and job $merge then writes $results/grades.jsonl"
echo "To see how far they are: squeue --jobs $array,$merge; messages are in $results/*.log"
