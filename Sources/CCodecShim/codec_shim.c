#include "CCodecShim.h"
