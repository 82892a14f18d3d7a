#if !__has_include(<png.h>)
#error "The headers of libpng are missing: run Scripts/setup of swift-web-image, or install libpng-dev"
#else

#include <png.h>

#endif
