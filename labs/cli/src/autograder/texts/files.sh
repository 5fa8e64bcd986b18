# The files of a folder, as `lab grade` finds them: not hidden ones, and not those that macOS puts into archives.
files() (
    CDPATH= cd -- "$1" && find . -name '.?*' -prune -o -name __MACOSX -prune -o -name '*.[cC][uU]' ! -type d -print0
)

# How many there are.
files_count() {
    files "$1" | tr -cd '\0' | wc -c
}

# Stands for their names.
files_checksum() {
    files "$1" | LC_ALL=C sort -z | cksum
}
