// Methods, this, methods that call each other before they are declared.
struct Counter {
    int n;
    int step;
    __device__ Counter &add(int k) {
        n += k * step;
        return *this;
    }
    __device__ int twice() { return get() * 2; }
    __device__ int get() const { return this->n; }
};
__global__ void counters(int *out) {
    Counter c{1, 2};
    c.add(1).add(2);
    Counter *p = &c;
    p->add(3);
    out[0] = c.get() + p->twice();
}
