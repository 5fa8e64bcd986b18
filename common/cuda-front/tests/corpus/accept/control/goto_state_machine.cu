// goto between states in both directions, and a loop with two entries.
__global__ void machine(int *out, const int *in, int n) {
    int at = 0, sum = 0;
    if (n % 2) goto odd;
even:
    if (at >= n) goto done;
    sum += in[at++];
odd:
    if (at >= n) goto done;
    sum -= in[at++];
    if (sum > 100) { sum = 0; goto odd; }
    goto even;
done:
    out[threadIdx.x] = sum;
}
