// SHA-256's compression of one block of 16 words per thread, word w of all messages side by side.

__constant__ unsigned int K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define ROTATE(x, n) (((x) >> (n)) | ((x) << (32 - (n))))

// All 64 words of the schedule first.
__global__ void sha256_schedule(const unsigned int *messages, unsigned int *digests, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    unsigned int w[64];
    for (int t = 0; t < 16; t++) {
        w[t] = messages[t * n + i];
    }
    for (int t = 16; t < 64; t++) {
        unsigned int s0 = ROTATE(w[t - 15], 7) ^ ROTATE(w[t - 15], 18) ^ (w[t - 15] >> 3);
        unsigned int s1 = ROTATE(w[t - 2], 17) ^ ROTATE(w[t - 2], 19) ^ (w[t - 2] >> 10);
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    unsigned int a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
    unsigned int e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
    for (int t = 0; t < 64; t++) {
        unsigned int s1 = ROTATE(e, 6) ^ ROTATE(e, 11) ^ ROTATE(e, 25);
        unsigned int choice = (e & f) ^ (~e & g);
        unsigned int t1 = h + s1 + choice + K[t] + w[t];
        unsigned int s0 = ROTATE(a, 2) ^ ROTATE(a, 13) ^ ROTATE(a, 22);
        unsigned int majority = (a & b) ^ (a & c) ^ (b & c);
        unsigned int t2 = s0 + majority;
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    digests[i] = 0x6a09e667 + a;
    digests[n + i] = 0xbb67ae85 + b;
    digests[2 * n + i] = 0x3c6ef372 + c;
    digests[3 * n + i] = 0xa54ff53a + d;
    digests[4 * n + i] = 0x510e527f + e;
    digests[5 * n + i] = 0x9b05688c + f;
    digests[6 * n + i] = 0x1f83d9ab + g;
    digests[7 * n + i] = 0x5be0cd19 + h;
}

// The last 16 words of the schedule only, and the state in an array.
__global__ void sha256_rolling(const unsigned int *messages, unsigned int *digests, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const unsigned int start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
        unsigned int w[16];
        unsigned int s[8];
        for (int k = 0; k < 16; ++k) {
            w[k] = messages[k * n + i];
        }
        for (int k = 0; k < 8; ++k) {
            s[k] = start[k];
        }
        for (int t = 0; t < 64; ++t) {
            if (t >= 16) {
                const unsigned int x = w[(t + 1) & 15];
                const unsigned int y = w[(t + 14) & 15];
                w[t & 15] += (ROTATE(x, 7) ^ ROTATE(x, 18) ^ (x >> 3)) + w[(t + 9) & 15] +
                             (ROTATE(y, 17) ^ ROTATE(y, 19) ^ (y >> 10));
            }
            const unsigned int t1 = s[7] + (ROTATE(s[4], 6) ^ ROTATE(s[4], 11) ^ ROTATE(s[4], 25)) +
                                    ((s[4] & s[5]) ^ (~s[4] & s[6])) + K[t] + w[t & 15];
            const unsigned int t2 = (ROTATE(s[0], 2) ^ ROTATE(s[0], 13) ^ ROTATE(s[0], 22)) +
                                    ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            for (int k = 7; k > 0; --k) {
                s[k] = s[k - 1];
            }
            s[4] += t1;
            s[0] = t1 + t2;
        }
        for (int k = 0; k < 8; ++k) {
            digests[k * n + i] = start[k] + s[k];
        }
    }
}
