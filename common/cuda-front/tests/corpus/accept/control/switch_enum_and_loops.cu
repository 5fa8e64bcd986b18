// A switch within a loop: break leaves the switch, continue goes on with the loop.
enum State { START, RUN, STOP };
__global__ void machine(const int *in, int *out, int n) {
    State s = START;
    int count = 0;
    for (int i = 0; i < n; i++) {
        switch (s) {
        case START:
            if (in[i] == 0) continue;
            s = RUN;
            break;
        case RUN:
            if (in[i] < 0) s = STOP;
            count++;
            break;
        case STOP:
            if (in[i] > 0) s = RUN;
            continue;
        }
        count += 100;
    }
    *out = count;
}
