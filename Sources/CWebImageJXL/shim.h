#if !__has_include(<jxl/decode.h>)
#error "The headers of libjxl are missing: run Scripts/setup of swift-web-image, or install libjxl-dev"
#else

#include <jxl/decode.h>
#include <jxl/encode.h>
#include <jxl/version.h>
#include "../CWebImageSharedLibrary/include/CWebImageSharedLibrary.h"

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
    take(JxlEncoderSetICCProfile)

SHARED_LIBRARY_TABLE(JXLFunctions, JXL_FUNCTIONS)

// libjxl 0.9 removed an argument of these three functions, a pixel format that earlier versions ignore. Swift has no
// preprocessor to call both forms, so each function here has one form.
#if JPEGXL_MAJOR_VERSION == 0 && JPEGXL_MINOR_VERSION < 9
#define JXL_UNUSED_FORMAT NULL,
#else
#define JXL_UNUSED_FORMAT
#endif

// The color space of the decoded pixels as code points; an error when the file has an ICC profile instead.
static inline JxlDecoderStatus webimage_jxl_encoded_color(
    const JXLFunctions *_Nonnull jxl, const JxlDecoder *_Nonnull decoder, JxlColorEncoding *_Nonnull color) {
    return jxl->JxlDecoderGetColorAsEncodedProfile(
        decoder, JXL_UNUSED_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, color);
}

// The size in bytes of the decoded pixels' ICC profile.
static inline JxlDecoderStatus webimage_jxl_profile_size(
    const JXLFunctions *_Nonnull jxl, const JxlDecoder *_Nonnull decoder, size_t *_Nonnull size) {
    return jxl->JxlDecoderGetICCProfileSize(decoder, JXL_UNUSED_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, size);
}

// The decoded pixels' ICC profile.
static inline JxlDecoderStatus webimage_jxl_profile(
    const JXLFunctions *_Nonnull jxl, const JxlDecoder *_Nonnull decoder, uint8_t *_Nullable profile, size_t size) {
    return jxl->JxlDecoderGetColorAsICCProfile(
        decoder, JXL_UNUSED_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, profile, size);
}

#endif
