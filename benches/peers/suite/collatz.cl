// Steps of the Collatz sequence from each number to 1.

kernel void collatz_while(global int *steps, int n) {
    int i = get_global_id(0);
    if (i < n) {
        uint value = i + 1;
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

kernel void collatz_for(global int *steps, int n) {
    const int i = get_global_id(0);
    if (i >= n) {
        return;
    }
    int count = 0;
    for (uint v = i + 1; v > 1; v = (v & 1) ? v * 3 + 1 : v >> 1) {
        ++count;
    }
    steps[i] = count;
}
