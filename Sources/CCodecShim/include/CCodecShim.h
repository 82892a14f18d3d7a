#ifndef CCODECSHIM_H
#define CCODECSHIM_H
#include "CJPEGShim.h"
#endif
