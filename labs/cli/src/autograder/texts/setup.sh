#!/bin/sh
# Gradescope runs this once, when it builds the image. Nothing is installed: the program only has to start here.
set -eu
source=${AUTOGRADER_ROOT:-/autograder}/source
chmod 755 "$source/lab" "$source/grade.sh" "$source/run_autograder"
if ! "$source/lab" --version; then
    echo "The program does not run on this image. Choose a newer base image, or make the autograder with --program and a" >&2
    echo "program that was built on an older system, such as the one in an archive that .ci/pack made." >&2
    exit 1
fi
