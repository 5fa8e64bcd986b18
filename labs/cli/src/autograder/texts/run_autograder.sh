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

# Names are the student's: they are looked at by find and by the program, and never by this shell.
kernels=$(cd -- submission && find . -name '.?*' -prune -o -name __MACOSX -prune -o -type f -name '*.[cC][uU]' -print | wc -l) || exit 1
if [ "$kernels" -eq 0 ]; then
    cat >"$results" <<'END'
{
  "score": 0,
  "output": "There is no kernel file in this submission. Hand in your kernel files, whose names end in .cu, such as naive.cu: the files themselves, a folder of them, or a zip archive. A file that a mail program or an editor renamed to naive.cu.txt must get its name back.",
  "tests": []
}
END
    exit
fi

status=0
"$root/source/grade.sh" gradescope "$results" submission || status=$?
# 1: a kernel failed. 2: a file could not be graded, and the results say why.
if [ "$status" -le 2 ] && [ -s "$results" ]; then
    exit 0
fi
echo "grading ended with exit status $status" >&2
rm -f -- "$results"
exit 1
