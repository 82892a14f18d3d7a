#if !__has_include(<jpeglib.h>)
#error "The headers of libjpeg-turbo are missing: run Scripts/setup of swift-web-image, or install libjpeg-dev"
#else

#include <stddef.h>
#include <stdio.h>
#include <jpeglib.h>
#include <jerror.h>

#endif
