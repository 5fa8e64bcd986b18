#!/bin/sh
# Grades what Autolab put beside autograde.tar: kernel files, or an archive of them. What is printed is the student's feedback, and
# the last line of it is the scores. A failure of the autograder prints no such line, so that it is no score.
set -u
here=$(cd -- "$(dirname -- "$0")" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf -- "$work"' EXIT
WARPLAB_DATA=$work/data
export WARPLAB_DATA
mkdir -- "$WARPLAB_DATA" "$work/submission" || exit 1

# The program unpacks archives. `./` before each name, because a name may begin with a dash.
for file in ./*; do
    case $file in
    ./Makefile | ./autograde-Makefile | ./autograde.tar | ./autograde) continue ;;
    *) cp -R -P -- "$file" "$work/submission/" || exit 1 ;;
    esac
done

# Not in the submission, where the program would take folders of certain names for a checkout of the project.
cd -- "$work" || exit 1
status=0
"$here/grade.sh" autolab "$work/results" submission || status=$?
# 1: a kernel failed. 2: a file could not be graded, and the results say why.
if [ "$status" -le 2 ] && [ -s "$work/results" ]; then
    cat -- "$work/results"
    exit 0
fi
echo "The autograder failed (exit status $status). This is not your fault: tell your instructor."
exit 1
