// Steps of the Collatz sequence from each number to 1.

__global__ void collatz_while(int *steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned int value = i + 1;
        int count = 0;
        while (value != 1) {
            if (value % 2 == 0) {
                value = value / 2;
            } else {
                value = 3 * value + 1;
            }
            count++;
        }
        steps[i] = count;
    }
}

__global__ void collatz_for(int *steps, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    int count = 0;
    for (unsigned int v = i + 1; v > 1; v = (v & 1) ? v * 3 + 1 : v >> 1) {
        ++count;
    }
    steps[i] = count;
}
