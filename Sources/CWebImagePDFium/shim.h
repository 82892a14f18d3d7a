// The functions of PDFium that this package calls. This header declares them itself, because no package of Debian has
// PDFium's headers. PDFium keeps these declarations stable for programs that load it.
#ifndef WEBIMAGE_CPDFIUM_H
#define WEBIMAGE_CPDFIUM_H

#include <stddef.h>
#include <CWebImageSharedLibrary.h>

#define PDFIUM_LIBRARY "libpdfium.so"

typedef struct fpdf_document_t__ *FPDF_DOCUMENT;
typedef struct fpdf_page_t__ *FPDF_PAGE;
typedef struct fpdf_bitmap_t__ *FPDF_BITMAP;

// Version 2 of the settings. A null-terminated list of folders with fonts replaces the folders of the system.
typedef struct {
    int version;
    const char **user_font_paths;
    void *isolate;
    unsigned int v8_slot;
} FPDF_LIBRARY_CONFIG;

typedef struct {
    float a, b, c, d, e, f;
} FS_MATRIX;
typedef struct {
    float left, top, right, bottom;
} FS_RECTF;
typedef struct {
    float width, height;
} FS_SIZEF;

void FPDF_InitLibraryWithConfig(const FPDF_LIBRARY_CONFIG *_Nonnull config);
FPDF_DOCUMENT _Nullable FPDF_LoadMemDocument64(
    const void *_Nullable bytes, size_t count, const char *_Nullable password);
void FPDF_CloseDocument(FPDF_DOCUMENT _Nonnull document);
unsigned long FPDF_GetLastError(void);
int FPDF_GetPageCount(FPDF_DOCUMENT _Nonnull document);
// Reads the size of a page without its contents.
int FPDF_GetPageSizeByIndexF(FPDF_DOCUMENT _Nonnull document, int index, FS_SIZEF *_Nonnull size);
FPDF_PAGE _Nullable FPDF_LoadPage(FPDF_DOCUMENT _Nonnull document, int index);
void FPDF_ClosePage(FPDF_PAGE _Nonnull page);
float FPDF_GetPageWidthF(FPDF_PAGE _Nonnull page);
float FPDF_GetPageHeightF(FPDF_PAGE _Nonnull page);
FPDF_BITMAP _Nullable FPDFBitmap_CreateEx(int width, int height, int format, void *_Nullable bytes, int stride);
void FPDFBitmap_Destroy(FPDF_BITMAP _Nonnull bitmap);
void FPDF_RenderPageBitmapWithMatrix(
    FPDF_BITMAP _Nonnull bitmap, FPDF_PAGE _Nonnull page, const FS_MATRIX *_Nonnull matrix,
    const FS_RECTF *_Nonnull clipping, int flags);

// The formats of bitmaps with four bytes for each pixel: blue, green, red, and nothing or alpha.
#define WEBIMAGE_PDFIUM_BGRX 3
#define WEBIMAGE_PDFIUM_BGRA 4
// Draws annotations, as viewers and printers do.
#define WEBIMAGE_PDFIUM_ANNOTATIONS 0x01
// Keeps few decoded pictures of the page.
#define WEBIMAGE_PDFIUM_LESS_MEMORY 0x200
// The order of the colours is red, green, blue.
#define WEBIMAGE_PDFIUM_REVERSED 0x10
// Results of FPDF_GetLastError.
#define WEBIMAGE_PDFIUM_PASSWORD 4
#define WEBIMAGE_PDFIUM_SECURITY 5

#define PDFIUM_FUNCTIONS(take)                                                                                  \
    take(FPDF_InitLibraryWithConfig) take(FPDF_LoadMemDocument64) take(FPDF_CloseDocument)                      \
    take(FPDF_GetLastError) take(FPDF_GetPageCount) take(FPDF_GetPageSizeByIndexF)                              \
    take(FPDF_LoadPage) take(FPDF_ClosePage) take(FPDF_GetPageWidthF) take(FPDF_GetPageHeightF)                  \
    take(FPDFBitmap_CreateEx) take(FPDFBitmap_Destroy) take(FPDF_RenderPageBitmapWithMatrix)

SHARED_LIBRARY_TABLE(PDFiumFunctions, PDFIUM_FUNCTIONS)

#endif
