// Prefix and postfix, of pointers, elements and parenthesised names.
__global__ void steps(int *out, int *p) {
    int i = 0;
    out[i++] = i;
    out[++i] = i--;
    *p++ = 5;
    *++p = 6;
    (*p)++;
    --*p;
    ++p[1];
    (i)--;
    out[2] = i;
}
