#if !__has_include(<avif/avif.h>)
#error "The headers of libavif are missing: run Scripts/setup of swift-web-image, or install libavif-dev"
#else

#include <avif/avif.h>
#include <CWebImageSharedLibrary.h>

// The name of the library file that matches the included headers. The structures of libavif 1.0 differ from the
// structures of earlier versions, so the headers and the library file must have the same version.
#if AVIF_VERSION_MAJOR >= 1
#define AVIF_LIBRARY "libavif.so.16"
#else
#define AVIF_LIBRARY "libavif.so.15"
#endif

#define AVIF_FUNCTIONS(take)                                                                                    \
    take(avifCodecVersions) take(avifCropRectConvertCleanApertureBox) take(avifDecoderCreate) take(avifDecoderDestroy) take(avifDecoderNthImage)          \
    take(avifDecoderNthImageTiming) take(avifDecoderParse) take(avifDecoderSetIOMemory)                         \
    take(avifEncoderAddImage) take(avifEncoderCreate) take(avifEncoderDestroy) take(avifEncoderFinish)          \
    take(avifImageCreate) take(avifImageDestroy) take(avifImageRGBToYUV) take(avifImageSetMetadataExif)          \
    take(avifImageSetMetadataXMP) take(avifImageSetProfileICC)                                                  \
    take(avifImageYUVToRGB) take(avifRGBImageSetDefaults) take(avifRWDataFree) take(avifResultToString)         \
    take(avifVersion)

SHARED_LIBRARY_TABLE(AVIFFunctions, AVIF_FUNCTIONS)

// Returns 0 if the image must be flipped vertically (top and bottom exchanged), and 1 if it must be flipped
// horizontally. libavif 1.0 renamed the member `mode` to `axis`. Its values have the same meaning.
static inline int webimage_avif_mirror_axis(const avifImage *_Nonnull image) {
#if AVIF_VERSION_MAJOR >= 1
    return image->imir.axis;
#else
    return image->imir.mode;
#endif
}

// Sets the ICC profile of an image. Before libavif 1.0, `avifImageSetProfileICC` returned no result and ended the
// process if memory was exhausted.
static inline avifResult webimage_avif_set_profile(
    const AVIFFunctions *_Nonnull avif, avifImage *_Nonnull image, const uint8_t *_Nullable profile, size_t size) {
#if AVIF_VERSION_MAJOR >= 1
    return avif->avifImageSetProfileICC(image, profile, size);
#else
    avif->avifImageSetProfileICC(image, profile, size);
    return AVIF_RESULT_OK;
#endif
}

// Sets EXIF and XMP of an image. Before libavif 1.0, the functions returned no result and ended the process if memory
// was exhausted.
static inline avifResult webimage_avif_set_exif(
    const AVIFFunctions *_Nonnull avif, avifImage *_Nonnull image, const uint8_t *_Nullable exif, size_t size) {
#if AVIF_VERSION_MAJOR >= 1
    return avif->avifImageSetMetadataExif(image, exif, size);
#else
    avif->avifImageSetMetadataExif(image, exif, size);
    return AVIF_RESULT_OK;
#endif
}

static inline avifResult webimage_avif_set_xmp(
    const AVIFFunctions *_Nonnull avif, avifImage *_Nonnull image, const uint8_t *_Nullable xmp, size_t size) {
#if AVIF_VERSION_MAJOR >= 1
    return avif->avifImageSetMetadataXMP(image, xmp, size);
#else
    avif->avifImageSetMetadataXMP(image, xmp, size);
    return AVIF_RESULT_OK;
#endif
}

// Declares that viewers rotate the image by `turns` quarter turns counter-clockwise and then, if `flips` is not 0,
// exchange top and bottom. libavif 1.0 renamed the member `mode` to `axis`.
static inline void webimage_avif_set_transform(avifImage *_Nonnull image, uint8_t turns, int flips) {
    image->transformFlags = (turns ? AVIF_TRANSFORM_IROT : 0) | (flips ? AVIF_TRANSFORM_IMIR : 0);
    image->irot.angle = turns;
#if AVIF_VERSION_MAJOR >= 1
    image->imir.axis = 0;
#else
    image->imir.mode = 0;
#endif
}

// Sets how often a sequence plays; 0 means for ever. Returns 0 if this version of libavif does not write the count.
static inline int webimage_avif_set_play_count(avifEncoder *_Nonnull encoder, int plays) {
#if AVIF_VERSION_MAJOR >= 1
    encoder->repetitionCount = plays == 0 ? AVIF_REPETITION_COUNT_INFINITE : plays - 1;
    return 1;
#else
    return 0;
#endif
}

// Returns how often a sequence plays. 0 means for ever, and -1 that this version of libavif does not read the count:
// libavif 1.0 reads it from the track's edit list.
static inline int webimage_avif_play_count(const avifDecoder *_Nonnull decoder) {
#if AVIF_VERSION_MAJOR >= 1
    return decoder->repetitionCount < 0 || decoder->repetitionCount == INT32_MAX ? 0 : decoder->repetitionCount + 1;
#else
    return -1;
#endif
}

#endif
