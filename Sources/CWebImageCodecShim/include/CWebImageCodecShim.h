#ifndef CCODECSHIM_H
#define CCODECSHIM_H

#include "CGIFShim.h"
#include "CJPEGShim.h"
#include "CPNGShim.h"

#endif
