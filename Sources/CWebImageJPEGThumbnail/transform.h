#ifndef TRANSFORM_H
#define TRANSFORM_H

#include "thumbnail.h"

/* Numbers that transform.c and planes_avx2.c share. */

/* sqrt(2) * cos(k pi/16), with 15 bits behind the point; without 1 where it is greater. A is k = 2, B is k = 6. */
enum { COSINE_A = 10045, COSINE_B = 17734, COSINE_1 = 12683, COSINE_3 = 5763, COSINE_5 = 25746, COSINE_7 = 9041 };

/* The places of coefficients in the file's order: [row][column]. */
static const uint8_t place_of[8][8] = {
    {0, 1, 5, 6, 14, 15, 27, 28},     {2, 4, 7, 13, 16, 26, 29, 42},    {3, 8, 12, 17, 25, 30, 41, 43},
    {9, 11, 18, 24, 31, 40, 44, 53},  {10, 19, 23, 32, 39, 45, 52, 54}, {20, 22, 33, 38, 46, 51, 55, 60},
    {21, 34, 37, 47, 50, 56, 59, 61}, {35, 36, 48, 49, 57, 58, 62, 63},
};

#endif
