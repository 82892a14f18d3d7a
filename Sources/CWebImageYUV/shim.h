#if !__has_include(<libyuv.h>)
#error "The headers of libyuv are missing: run Scripts/setup of swift-web-image, or install libyuv-dev"
#else

#include <libyuv.h>

#endif
