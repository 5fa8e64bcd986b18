// Every kind of built-in vector, its constructor and members.
__global__ void vectors(float *out) {
    char4 c = make_char4(1, 2, 3, 4);
    uchar4 u = make_uchar4(255, 254, 253, 252);
    short2 s = make_short2(1, 2);
    ushort4 us = make_ushort4(1, 2, 3, 4);
    int3 i = make_int3(1, 2, 3);
    uint2 ui = make_uint2(4, 5);
    longlong2 l = make_longlong2(6, 7);
    float3 f = make_float3(1, 2, 3);
    double2 d = make_double2(1.5, 2.5);
    float1 one = make_float1(9);
    f.x += c.w + u.x + s.y + us.z;
    f.y = i.z + ui.x + l.y;
    out[0] = f.x + f.y + d.y + one.x;
}
