#if !__has_include(<rlottie_capi.h>)
#error "The headers of rlottie are missing: run Scripts/setup of swift-web-image, or install librlottie-dev"
#else

#include <rlottie_capi.h>
#include <CWebImageSharedLibrary.h>

// The file name of the library in Debian. Other distributions build version 0.2 under another name and with a function
// that must be called first.
#define LOTTIE_LIBRARY "librlottie.so.0-1"

#define LOTTIE_FUNCTIONS(take)                                                                                  \
    take(lottie_animation_destroy) take(lottie_animation_from_data) take(lottie_animation_get_size)             \
    take(lottie_animation_get_totalframe) take(lottie_animation_render)

SHARED_LIBRARY_TABLE(LottieFunctions, LOTTIE_FUNCTIONS)

#endif
