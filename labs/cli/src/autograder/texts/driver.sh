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

# What cannot be unpacked is put there as it is, so that the feedback names it. `./` before each name, because a name may begin with a dash.
keep() {
    cp -R -P -- "$1" "$work/submission/" || exit 1
}
for file in ./*; do
    case $file in
    ./Makefile | ./autograde-Makefile | ./autograde.tar | ./autograde) continue ;;
    ./*.tar | ./*.tar.gz | ./*.tgz | ./*.tar.xz | ./*.tar.bz2)
        tar -xf "$file" -C "$work/submission" --no-same-owner --no-same-permissions 2>/dev/null || {
            echo "Your archive cannot be unpacked. Make it with: tar -cf handin.tar *.cu"
            keep "$file"
        }
        ;;
    ./*.zip)
        unzip -q -o "$file" -d "$work/submission" >/dev/null 2>&1 || {
            echo "Your archive cannot be unpacked. Hand in a zip or tar archive."
            keep "$file"
        }
        ;;
    *) keep "$file" ;;
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
