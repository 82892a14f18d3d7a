#include <avif/avif.h>
#include "../CSharedLibrary/include/CSharedLibrary.h"

// The file that belongs to these headers: structures differ from one to the next.
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
