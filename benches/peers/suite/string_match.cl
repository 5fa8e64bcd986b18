// Where a pattern begins in a text.

kernel void string_match_break(global const uchar *text, global const uchar *pattern,
                               global uchar *found, int n, int length) {
    int i = get_global_id(0);
    if (i <= n - length) {
        bool equal = true;
        for (int k = 0; k < length; k++) {
            if (text[i + k] != pattern[k]) {
                equal = false;
                break;
            }
        }
        found[i] = equal ? 1 : 0;
    } else if (i < n) {
        found[i] = 0;
    }
}

kernel void string_match_while(global const uchar *text, global const uchar *pattern,
                               global uchar *found, int n, int length) {
    const int i = get_global_id(0);
    if (i >= n) {
        return;
    }
    int k = 0;
    while (k < length && i + k < n && text[i + k] == pattern[k]) {
        k++;
    }
    found[i] = k == length;
}
