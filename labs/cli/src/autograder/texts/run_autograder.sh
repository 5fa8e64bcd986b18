#!/bin/sh
# Gradescope runs this for each submission. It leaves results.json; without one, Gradescope tells the student that the autograder
# failed, and gives no score.
set -u
root=${AUTOGRADER_ROOT:-/autograder} # another folder, to try this elsewhere
results=$root/results/results.json

WARPLAB_DATA=$(mktemp -d) || exit 1
export WARPLAB_DATA
trap 'rm -rf -- "$WARPLAB_DATA"' EXIT
mkdir -p -- "$root/results" && rm -f -- "$results" || exit 1
# Not in the submission, where the program would take folders of certain names for a checkout of the project.
cd -- "$root" || exit 1

status=0
"$root/source/grade.sh" gradescope "$results" submission || status=$?
# 1: a kernel failed. 2: a file could not be graded, and the results say why.
if [ "$status" -le 2 ] && [ -s "$results" ]; then
    exit 0
fi
echo "grading ended with exit status $status" >&2
rm -f -- "$results"
exit 1
