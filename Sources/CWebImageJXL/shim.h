#if !__has_include(<jxl/decode.h>)
#error "The headers of libjxl are missing: run Scripts/setup of swift-web-image, or install libjxl-dev"
#else

#include <jxl/decode.h>
#include <jxl/encode.h>
#include <jxl/version.h>
#include <CWebImageSharedLibrary.h>

// The library's file name. Before libjxl 1.0, each minor version had its own file name.
#define JXL_TEXT_OF(number) #number
#define JXL_TEXT(number) JXL_TEXT_OF(number)
static const char *_Nonnull const JXL_LIBRARY = "libjxl.so." JXL_TEXT(JPEGXL_MAJOR_VERSION)
#if JPEGXL_MAJOR_VERSION == 0
    "." JXL_TEXT(JPEGXL_MINOR_VERSION)
#endif
    ;

#define JXL_FUNCTIONS(take)                                                                                     \
    take(JxlColorEncodingSetToSRGB) take(JxlDecoderCloseInput) take(JxlDecoderCreate) take(JxlDecoderDestroy)   \
    take(JxlDecoderGetBasicInfo) take(JxlDecoderGetColorAsEncodedProfile) take(JxlDecoderGetColorAsICCProfile)  \
    take(JxlDecoderGetFrameHeader) take(JxlDecoderGetICCProfileSize) take(JxlDecoderProcessInput)               \
    take(JxlDecoderReleaseInput) take(JxlDecoderReset) take(JxlDecoderSetImageOutBuffer)                       \
    take(JxlDecoderSetInput) take(JxlDecoderSetKeepOrientation) take(JxlDecoderSetUnpremultiplyAlpha)           \
    take(JxlDecoderSkipFrames) take(JxlDecoderSubscribeEvents) take(JxlDecoderVersion)                          \
    take(JxlEncoderAddImageFrame) take(JxlEncoderCloseInput) take(JxlEncoderCreate) take(JxlEncoderDestroy)     \
    take(JxlEncoderFrameSettingsCreate) take(JxlEncoderFrameSettingsSetOption) take(JxlEncoderGetError)         \
    take(JxlEncoderInitBasicInfo) take(JxlEncoderProcessOutput) take(JxlEncoderSetBasicInfo)                    \
    take(JxlEncoderSetColorEncoding) take(JxlEncoderSetFrameDistance) take(JxlEncoderSetFrameLossless)          \
    take(JxlEncoderSetICCProfile) take(JxlDecoderGetExtraChannelInfo) take(JxlDecoderSetExtraChannelBuffer)      \
    take(JxlEncoderInitFrameHeader) take(JxlEncoderSetFrameHeader) take(JxlEncoderCloseFrames)                   \
    take(JxlEncoderAddJPEGFrame) take(JxlEncoderStoreJPEGMetadata) take(JxlEncoderUseContainer)                  \
    take(JxlDecoderSetJPEGBuffer) take(JxlDecoderReleaseJPEGBuffer) take(JxlDecoderSetDecompressBoxes)          \
    take(JxlDecoderGetBoxType) take(JxlDecoderSetBoxBuffer) take(JxlDecoderReleaseBoxBuffer)

SHARED_LIBRARY_TABLE(JXLFunctions, JXL_FUNCTIONS)

// Up to libjxl 0.8, each of the three libjxl functions below has a pixel format as an argument and ignores it. libjxl
// 0.9 removed this argument. Swift has no preprocessor that selects the correct call. Therefore each wrapper below has
// the same arguments for all versions.
#if JPEGXL_MAJOR_VERSION == 0 && JPEGXL_MINOR_VERSION < 9
#define JXL_UNUSED_FORMAT NULL,
#else
#define JXL_UNUSED_FORMAT
#endif

// Stores the color space of the decoded pixels as code points in `color`. Returns an error status if the file has an
// ICC profile instead of code points.
static inline JxlDecoderStatus webimage_jxl_encoded_color(
    const JXLFunctions *_Nonnull jxl, const JxlDecoder *_Nonnull decoder, JxlColorEncoding *_Nonnull color) {
    return jxl->JxlDecoderGetColorAsEncodedProfile(
        decoder, JXL_UNUSED_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, color);
}

// Stores the size in bytes of the decoded pixels' ICC profile in `size`.
static inline JxlDecoderStatus webimage_jxl_profile_size(
    const JXLFunctions *_Nonnull jxl, const JxlDecoder *_Nonnull decoder, size_t *_Nonnull size) {
    return jxl->JxlDecoderGetICCProfileSize(decoder, JXL_UNUSED_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, size);
}

// Copies the decoded pixels' ICC profile to `profile`, which has room for `size` bytes.
static inline JxlDecoderStatus webimage_jxl_profile(
    const JXLFunctions *_Nonnull jxl, const JxlDecoder *_Nonnull decoder, uint8_t *_Nullable profile, size_t size) {
    return jxl->JxlDecoderGetColorAsICCProfile(
        decoder, JXL_UNUSED_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, profile, size);
}

#endif
