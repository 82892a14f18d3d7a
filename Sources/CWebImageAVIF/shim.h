#if !__has_include(<avif/avif.h>)
#error "The headers of libavif are missing: run Scripts/setup of swift-web-image, or install libavif-dev"
#else

#include <avif/avif.h>
#include "../CWebImageSharedLibrary/include/CWebImageSharedLibrary.h"

// The library file that matches these headers. The structures differ between the two versions of the library.
#if AVIF_VERSION_MAJOR >= 1
#define AVIF_LIBRARY "libavif.so.16"
#else
#define AVIF_LIBRARY "libavif.so.15"
#endif

#define AVIF_FUNCTIONS(take)                                                                                    \
    take(avifCodecVersions) take(avifCropRectConvertCleanApertureBox) take(avifDecoderCreate) take(avifDecoderDestroy) take(avifDecoderNthImage)          \
    take(avifDecoderNthImageTiming) take(avifDecoderParse) take(avifDecoderSetIOMemory)                         \
    take(avifEncoderAddImage) take(avifEncoderCreate) take(avifEncoderDestroy) take(avifEncoderFinish)          \
    take(avifImageCreate) take(avifImageDestroy) take(avifImageRGBToYUV) take(avifImageSetProfileICC)           \
    take(avifImageYUVToRGB) take(avifRGBImageSetDefaults) take(avifRWDataFree) take(avifResultToString)         \
    take(avifVersion)

SHARED_LIBRARY_TABLE(AVIFFunctions, AVIF_FUNCTIONS)

// libavif 1.0 renamed `mode` to `axis` with the same meaning: 0 exchanges top and bottom, 1 left and right.
static inline int webimage_avif_mirror_axis(const avifImage *_Nonnull image) {
#if AVIF_VERSION_MAJOR >= 1
    return image->imir.axis;
#else
    return image->imir.mode;
#endif
}

// Before libavif 1.0, this libavif function returned nothing and ended the process when out of memory.
static inline avifResult webimage_avif_set_profile(
    const AVIFFunctions *_Nonnull avif, avifImage *_Nonnull image, const uint8_t *_Nullable profile, size_t size) {
#if AVIF_VERSION_MAJOR >= 1
    return avif->avifImageSetProfileICC(image, profile, size);
#else
    avif->avifImageSetProfileICC(image, profile, size);
    return AVIF_RESULT_OK;
#endif
}

// The loop count of a sequence. 0 means that it repeats endlessly. libavif 1.0 reads the count from the track's edit
// list. With older versions, every sequence repeats endlessly.
static inline int webimage_avif_play_count(const avifDecoder *_Nonnull decoder) {
#if AVIF_VERSION_MAJOR >= 1
    return decoder->repetitionCount < 0 || decoder->repetitionCount == INT32_MAX ? 0 : decoder->repetitionCount + 1;
#else
    return 0;
#endif
}

#endif
