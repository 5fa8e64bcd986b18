// Which numbers are prime, by trial division.

kernel void primes_break(global uchar *is_prime, int n) {
    int i = get_global_id(0);
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

kernel void primes_condition(global uchar *is_prime, int n) {
    const int number = get_global_id(0);
    if (number >= n) {
        return;
    }
    int divisor = 2;
    while (divisor * divisor <= number && number % divisor != 0) {
        divisor++;
    }
    is_prime[number] = (number > 1 && divisor * divisor > number) ? 1 : 0;
}
