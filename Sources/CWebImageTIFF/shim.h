#if !__has_include(<tiffio.h>)
#error "The headers of libtiff are missing: run Scripts/setup of swift-web-image, or install libtiff-dev"
#else

#include <tiffio.h>
#include <CWebImageSharedLibrary.h>

// The library's file name since libtiff 4.5. This package requires libtiff 4.5, because earlier versions have only
// global error handlers. libtiff 4.5 allows an error handler for each open file.
#define TIFF_LIBRARY "libtiff.so.6"

#define TIFF_FUNCTIONS(take)                                                                                    \
    take(TIFFClientOpenExt) take(TIFFClose) take(TIFFGetVersion) take(TIFFIsCODECConfigured) take(TIFFIsTiled)  \
    take(TIFFOpenOptionsAlloc) take(TIFFOpenOptionsFree) take(TIFFOpenOptionsSetErrorHandlerExtR)               \
    take(TIFFOpenOptionsSetMaxSingleMemAlloc) take(TIFFOpenOptionsSetWarningHandlerExtR)                        \
    take(TIFFRGBAImageBegin) take(TIFFRGBAImageEnd) take(TIFFRGBAImageGet) take(TIFFReadEncodedStrip)           \
    take(TIFFReadEncodedTile) take(TIFFReadScanline) take(TIFFScanlineSize64) take(TIFFSetDirectory)            \
    take(TIFFTileRowSize64) take(TIFFVGetField) take(TIFFVGetFieldDefaulted) take(TIFFVSetField)                \
    take(TIFFWriteDirectory) take(TIFFWriteScanline)

SHARED_LIBRARY_TABLE(TIFFFunctions, TIFF_FUNCTIONS)

#endif
