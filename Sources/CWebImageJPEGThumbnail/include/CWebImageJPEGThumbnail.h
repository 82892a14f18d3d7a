#ifndef CWEBIMAGEJPEGTHUMBNAIL_H
#define CWEBIMAGEJPEGTHUMBNAIL_H

#include <stddef.h>
#include <stdint.h>

/* Decodes a complete JPEG file at 1/8 of its size. The pixels are the pixels that libjpeg-turbo writes at this scale, in
   about a third of its time. Or decodes it to any size up to a half, sharper than libjpeg-turbo. Documentation/Decisions/jpeg-thumbnails.md describes the method.

   The function either writes every pixel or fails. After a failure the caller decodes the file with libjpeg-turbo, which
   reports errors or reads the kinds of file that this function does not read. The contents of `pixels` are then
   undefined. Thread-safe; there is no shared state. */

/* The result of a decode. Every value above OUT_OF_TIME tells why libjpeg-turbo must decode the file. */
typedef enum {
    WEBIMAGE_JPEG_THUMBNAIL_OK = 0,
    WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_TIME, /* or `should_stop` has ended the decode */
    WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY,
    WEBIMAGE_JPEG_THUMBNAIL_COSTLY,      /* libjpeg-turbo is probably as fast: few pixels or bytes, tiny restart intervals,
                                            mainly long codes or chroma */
    WEBIMAGE_JPEG_THUMBNAIL_FRAME,       /* arithmetic, lossless or hierarchical coding, or not 8 bits */
    WEBIMAGE_JPEG_THUMBNAIL_SAMPLING,    /* libjpeg-turbo would use other block sizes than 1 and 2 */
    WEBIMAGE_JPEG_THUMBNAIL_COLOR,       /* two components, or an output in colours that the file does not have */
    WEBIMAGE_JPEG_THUMBNAIL_MARKER,      /* a damaged, unexpected or misplaced marker */
    WEBIMAGE_JPEG_THUMBNAIL_TABLE,       /* a damaged or missing Huffman or quantisation table */
    WEBIMAGE_JPEG_THUMBNAIL_SHORT,       /* the file ends early, or fill bytes are inside the picture's data */
    WEBIMAGE_JPEG_THUMBNAIL_UNFINISHED,  /* scans are missing: libjpeg-turbo smooths such a picture */
    WEBIMAGE_JPEG_THUMBNAIL_RANGE,       /* quantisation factors above 16383 (4095 for planes), or DC coefficients above 29 bits;
                                            for planes of fewer than 8 samples also a coarse file, which is better
                                            from libjpeg-turbo */
    WEBIMAGE_JPEG_THUMBNAIL_STATUS_COUNT,
} webimage_jpeg_thumbnail_status;

/* Luma's factor for DC in a file of a quality of about 27. The noise of a coarser file goes far beyond black and white, where a
   complete decode limits it: dark pictures are lighter there than in planes of fewer samples. Such a file is not decoded to
   these. */
enum { WEBIMAGE_JPEG_THUMBNAIL_COARSE_FACTOR = 30 };

typedef enum {
    WEBIMAGE_JPEG_THUMBNAIL_GRAY = 0, /* 1 byte a pixel */
    WEBIMAGE_JPEG_THUMBNAIL_RGB,      /* 3 bytes */
    WEBIMAGE_JPEG_THUMBNAIL_RGBA,     /* 4 bytes, alpha 255 */
    WEBIMAGE_JPEG_THUMBNAIL_BGRA,     /* 4 bytes, alpha 255 */
    /* 4 bytes, only of files with four components (CMYK or YCCK): the inks as files store them, 255 for none. From planes, the
       output has the size of the plane, which is not scaled: ceil(file_width * side / 8) x ceil(file_height * side / 8). */
    WEBIMAGE_JPEG_THUMBNAIL_CMYK,
} webimage_jpeg_thumbnail_format;

/* Numbers that depend only on the file, not on the processor or its load. Tests bound the work by them. */
typedef struct {
    uint64_t rounds;        /* refills of a stream's bit buffer; each refill is followed by three table lookups */
    uint64_t slow_symbols;  /* symbols that did not fit into the tables */
    uint64_t chroma_rounds; /* as `rounds`, for the coefficients of chroma */
    uint64_t bits;          /* of the picture's data */
    uint64_t windows;
    uint64_t joins;         /* streams that started at a guess and met the stream before them */
    uint64_t lost_streams;  /* streams that did not */
    uint64_t plane_steps;   /* as `rounds`, for the coefficients of planes: each is followed by two table lookups */
    uint64_t strict_mcus;   /* MCUs behind the first damaged one, which are decoded one symbol at a time */
} webimage_jpeg_thumbnail_work;

/* A decode to a size between an eighth and a half of the picture: see `planes` in the request. */
typedef struct {
    int file_width, file_height; /* the size in the file's header */
    /* The part of the picture that becomes the output, in the file's pixels. */
    double x, y, width, height;
    /* Samples in each direction of a block of luma, and of a block of chroma that has less resolution than luma: 2, 3 or 4,
       also 8, which are all samples of the file.
       Chroma of the same resolution has `side` as well. Of a file with four components, all planes have the same resolution;
       `chroma_side` is not used. */
    int side, chroma_side;
    /* If not 0, no instructions are used that only some processors have. The samples are the same. Tests set it. */
    int is_portable;
    /* If not 0, the output has the samples of this component without scaling, counted from 1, and the format is GRAY.
       Width and height are those of the component's plane. Tests set it. */
    int component;
    /* If not 0, all bits of a progressive file's coefficients are read. Otherwise the bits that later scans add to luma are left
       out if the file is quantised finely. Tests set it. */
    int is_complete;
} webimage_jpeg_thumbnail_planes;

typedef struct {
    int width; /* of the output: without `planes`, an eighth of the picture's size, rounded up */
    int height;
    webimage_jpeg_thumbnail_format format;
    uint8_t *pixels;
    size_t stride;
    int64_t deadline; /* in nanoseconds of CLOCK_MONOTONIC; checked between windows of 64 KB */
    int (*should_stop)(void); /* NULL, or returns whether the decode must end; called when the deadline is checked */
    /* If not NULL, the output has any size. The file is decoded to planes: a block has 2 x 2, 3 x 3 or 4 x 4 samples, made of
       as many low coefficients, or of fewer if the result is much smaller than the plane. Then each plane is scaled to the output's size by a Lanczos filter with three lobes. Other
       than at 1/8, the pixels are not those of libjpeg-turbo, which averages: they are sharper. RGB of CMYK is the product of
       ink and black, without a profile; it is only possible here, not at 1/8. */
    const webimage_jpeg_thumbnail_planes *planes;
    /* If not 0, chroma has one sample per block, from its DC coefficient. The pixels then differ slightly from those of
       libjpeg-turbo if chroma has half the resolution of luma, and the decode takes about 0.6 of the time (0.2 for a
       progressive file). For colours and hashes. */
    int has_coarse_chroma;
    /* If not 0, the result is never COSTLY, and a coarse file is decoded as well. Tests set it. */
    int ignores_cost;
    /* If not 0, the size of a window in bytes, from 4096 to 65536. Tests set it, so that a small file has many windows. */
    size_t window_bytes;
    webimage_jpeg_thumbnail_work *work; /* NULL if the numbers are not needed */
} webimage_jpeg_thumbnail_request;

webimage_jpeg_thumbnail_status webimage_jpeg_thumbnail_decode(
    const uint8_t *data, size_t size, const webimage_jpeg_thumbnail_request *request);

/* A file whose data starts at a row of MCUs other than the first: `start` has a header, a made-up row of MCUs and the byte
   that this row shares with the file's data; the file's bytes at `rest` follow. */
typedef struct {
    uint8_t *start; /* from malloc; the receiver calls free */
    size_t start_size;
    const uint8_t *rest; /* to the end of the file */
    size_t rest_size;
} webimage_jpeg_strip;

typedef struct {
    int width, height; /* the size in the file's header */
    int count;
    /* For each strip, the row of MCUs with which the file's data starts: at least 1, ascending. The picture of such a file
       has the made-up row above this row: it is the file's picture without the first row - 1 rows of MCUs. */
    const int *rows;
    /* Called for each strip in this order, as soon as its start is known. */
    void (*found)(void *context, int index, const webimage_jpeg_strip *strip);
    void *context;
    int64_t deadline; /* as in webimage_jpeg_thumbnail_request; so are the following members */
    int (*should_stop)(void);
    int ignores_cost;
    size_t window_bytes;
} webimage_jpeg_strips_request;

/* Finds where the rows of a file with one sequential Huffman scan start, in about a tenth of the time of a complete decode.
   Several threads can then decode the file, one strip each, with libjpeg-turbo. Restart markers, several scans, and other
   kinds of file that the thumbnails' decoder does not read are refused. Only the data up to the last strip is looked at:
   if libjpeg-turbo finds damage in a strip, the file must be decoded in one piece. */
webimage_jpeg_thumbnail_status webimage_jpeg_strips_find(
    const uint8_t *data, size_t size, const webimage_jpeg_strips_request *request);

/* Whether the compiler optimised this library. A debug build decodes with libjpeg-turbo, which is then faster. */
int webimage_jpeg_thumbnail_is_optimized(void);

/* Whether this processor has the vector instructions that planes are decoded with. Without them, the same samples take about
   three times as long. */
int webimage_jpeg_thumbnail_is_vectorized(void);

#endif
