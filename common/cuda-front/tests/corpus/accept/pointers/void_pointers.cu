// void * and back; bytes of an object.
__global__ void bytes(void *buffer, int n) {
    float *f = (float *)buffer;
    f[0] = n;
    unsigned char *b = static_cast<unsigned char *>(buffer);
    b[4] = 1;
    void *p = f + 2;
    *(int *)p = n;
}
