#if !__has_include(<libdeflate.h>)
#error "The headers of libdeflate are missing: run Scripts/setup of swift-web-image, or install libdeflate-dev"
#else

#include <libdeflate.h>

#endif
