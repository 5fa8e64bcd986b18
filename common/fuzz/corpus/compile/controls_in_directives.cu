#include <]0;title>
#error ‮31m
#define é 宽
__global__ void é(int *宽) { 宽[0] = é́; "\x1b" }
