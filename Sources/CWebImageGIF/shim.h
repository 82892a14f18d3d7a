#if !__has_include(<gif_lib.h>)
#error "The headers of giflib are missing: run Scripts/setup of swift-web-image, or install libgif-dev"
#else

#include <gif_lib.h>

#endif
