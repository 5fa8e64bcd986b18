// The CRC-32 of each record of 64 bytes, bit by bit.

#define LENGTH 64

kernel void crc32_if(global const uchar *data, global uint *out, int n) {
    int i = get_global_id(0);
    if (i < n) {
        uint crc = 0xffffffff;
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

kernel void crc32_mask(global const uchar *data, global uint *out, int n) {
    const int i = get_global_id(0);
    if (i >= n) {
        return;
    }
    global const uchar *next = data + i * LENGTH;
    uint crc = ~0u;
    for (int left = LENGTH; left != 0; --left) {
        crc = crc ^ *next++;
        for (int bit = 8; bit > 0; --bit) {
            uint mask = 0u - (crc & 1u);
            crc = (crc >> 1) ^ (0xedb88320u & mask);
        }
    }
    out[i] = crc ^ 0xffffffffu;
}
