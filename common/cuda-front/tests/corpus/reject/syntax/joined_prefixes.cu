// Adjacent strings have one prefix.
__global__ void k(int *out) {
  out[0] = *(L"a" "b");
  out[1] = *(L"a" u"b"); // ERROR
}
