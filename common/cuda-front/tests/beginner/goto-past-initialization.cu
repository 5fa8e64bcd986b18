// A jump into the scope of a variable, past its initialisation.
__global__ void k(int *out, int n) {
    if (n > 3) goto done; // EXPECT jump-past-initialization
    int x = n * 2;
    out[0] = x;
done:
    out[1] = 1;
}
