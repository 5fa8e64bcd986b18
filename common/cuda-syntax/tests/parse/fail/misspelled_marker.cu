__gloabl__ void k(float *a) {
 a[0] = 1;
}
