__global__ void k(int *o) {
    for (auto x : {1, 2u}) o[0] += x; // ERROR
}
