#if !__has_include(<webp/decode.h>)
#error "The headers of libwebp are missing: run Scripts/setup of swift-web-image, or install libwebp-dev"
#else

#include <webp/decode.h>
#include <webp/encode.h>
#include <webp/demux.h>
#include <webp/mux.h>

#endif
