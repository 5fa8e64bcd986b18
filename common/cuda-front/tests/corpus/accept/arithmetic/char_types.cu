// char, signed char, unsigned char; characters as numbers.
__global__ void chars(char *s, unsigned char *u, signed char *t, int n) {
    s[0] = 'A' + n;
    u[0] = 200;
    t[0] = (signed char)u[0];
    s[1] = s[0] - 'A' + '0';
    if (s[0] >= 'a' && s[0] <= 'z') s[0] -= 'a' - 'A';
    u[1] = u[0] >> 4 | u[0] << 4;
}
