#if !__has_include(<lcms2.h>)
#error "The headers of Little CMS are missing: run Scripts/setup of swift-web-image, or install liblcms2-dev"
#else

#include <lcms2.h>

#endif
