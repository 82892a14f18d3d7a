#ifndef CPIXELLOOPS_VECTORS_H
#define CPIXELLOOPS_VECTORS_H

#include <stdint.h>

/* Eight samples. Sums are kept in eight parts with every instruction set, so that scores do not depend on it. */
typedef float vector __attribute__((vector_size(32)));
typedef float loose_vector __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t mask __attribute__((vector_size(32)));

/* Macros, because a function with a vector as its argument has another form with each instruction set. A cast of a vector keeps
   its bits. */
#define LOAD(samples) ((vector)*(const loose_vector *)(samples))
#define STORE(samples, value) (*(loose_vector *)(samples) = (loose_vector)(value))
#define WHERE(condition, value) ((vector)((condition) & (mask)(value)))
#define POSITIVE(value) WHERE((value) > 0, value)
#define MAGNITUDE(value) ((vector)((mask)(value) & INT32_MAX))
#define TRUNCATED(value) __builtin_convertvector(__builtin_convertvector(value, mask), vector)

#endif
