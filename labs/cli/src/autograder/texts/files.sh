# The files that `lab grade` finds in a folder, one per line.
files() {
    "$here/lab" grade --list -- "$1"
}

# How many there are.
files_count() {
    files "$1" | wc -l
}

# Stands for their names.
files_checksum() {
    files "$1" | cksum
}
