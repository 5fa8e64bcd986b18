#!/bin/sh
# Grades a folder: grade.sh FORMAT RESULTS FOLDER. Each entry point comes here, so this is the one place with the options.
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)
exec "$here/lab" grade@OPTIONS@ --format "$1" -o "$2" -- "$3"
