// Which numbers are prime, by trial division.

__global__ void primes_break(unsigned char *is_prime, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        bool prime = i >= 2;
        for (int d = 2; d * d <= i; d++) {
            if (i % d == 0) {
                prime = false;
                break;
            }
        }
        is_prime[i] = prime;
    }
}

__global__ void primes_condition(unsigned char *is_prime, int n) {
    const int number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= n) {
        return;
    }
    int divisor = 2;
    while (divisor * divisor <= number && number % divisor != 0) {
        divisor++;
    }
    is_prime[number] = (number > 1 && divisor * divisor > number) ? 1 : 0;
}
