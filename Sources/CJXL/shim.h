#include <jxl/decode.h>
#include <jxl/encode.h>
#include <jxl/version.h>
#include "../CSharedLibrary/include/CSharedLibrary.h"

// Before 1.0 every minor version has a name of its own.
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
