#if !__has_include(<pixman.h>)
#error "The headers of pixman are missing: run Scripts/setup of swift-web-image, or install libpixman-1-dev"
#else

#include <pixman.h>

#endif
