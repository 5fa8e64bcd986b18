// The CRC-32 of each record of 64 bytes, bit by bit.

#define LENGTH 64

__global__ void crc32_if(const unsigned char *data, unsigned int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned int crc = 0xffffffff;
        for (int k = 0; k < LENGTH; k++) {
            crc ^= data[i * LENGTH + k];
            for (int bit = 0; bit < 8; bit++) {
                if (crc & 1) {
                    crc = (crc >> 1) ^ 0xedb88320;
                } else {
                    crc = crc >> 1;
                }
            }
        }
        out[i] = ~crc;
    }
}

__global__ void crc32_mask(const unsigned char *data, unsigned int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    const unsigned char *next = data + i * LENGTH;
    unsigned int crc = ~0u;
    for (int left = LENGTH; left != 0; --left) {
        crc = crc ^ *next++;
        for (int bit = 8; bit > 0; --bit) {
            unsigned int mask = 0u - (crc & 1u);
            crc = (crc >> 1) ^ (0xedb88320u & mask);
        }
    }
    out[i] = crc ^ 0xffffffffu;
}
