#ifndef CCODECSHIM_H
#define CCODECSHIM_H

#include "CJPEGShim.h"
#include "CPNGShim.h"

#endif
