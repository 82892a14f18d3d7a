#ifndef CCODECSHIM_H
#define CCODECSHIM_H
#include "CPNGShim.h"
#endif
