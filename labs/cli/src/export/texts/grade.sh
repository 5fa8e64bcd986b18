#!/bin/sh
# Grades submissions with the weights and the seed of this course:
#
#     ./grade.sh SUBMISSIONS >grades.jsonl
#
# The program is `lab`, or the one that the variable LAB names. Options of `lab grade` may follow.
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)
exec "${LAB:-lab}" grade --course "$here/course.toml" --seed SEED "$@"
