// Undoes the content codings of HTTP bodies (RFC 9110 §8.4.1) with the libraries that libcurl itself has loaded.
//
// libcurl's own decoding fails for a coding that it does not know and for a gzip file of several members. The functions of
// brotli and zstd are declared here, because their headers are not needed otherwise; both interfaces are stable.
#include "CWebImageCurlShim.h"

#if !__has_include(<zlib.h>)
#error "The headers of zlib are missing: run Scripts/setup of swift-web-image, or install zlib1g-dev"
#endif
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct { void *dst; size_t size; size_t pos; } ZstdOut;
typedef struct { const void *src; size_t size; size_t pos; } ZstdIn;

static struct {
    int (*inflate_init)(z_streamp, int, const char *, int);
    int (*inflate)(z_streamp, int);
    int (*inflate_reset)(z_streamp);
    int (*inflate_end)(z_streamp);
    void *(*brotli_create)(void *, void *, void *);
    void (*brotli_destroy)(void *);
    int (*brotli_decode)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
    void *(*zstd_create)(void);
    size_t (*zstd_free)(void *);
    size_t (*zstd_set)(void *, int, int);
    size_t (*zstd_decode)(void *, ZstdOut *, ZstdIn *);
    unsigned (*zstd_is_error)(size_t);
} codings;

void webimage_coding_bind(void *library) {
    // dlsym also searches the libraries that libcurl was linked to.
    *(void **)&codings.inflate_init = dlsym(library, "inflateInit2_");
    *(void **)&codings.inflate = dlsym(library, "inflate");
    *(void **)&codings.inflate_reset = dlsym(library, "inflateReset");
    *(void **)&codings.inflate_end = dlsym(library, "inflateEnd");
    *(void **)&codings.brotli_create = dlsym(library, "BrotliDecoderCreateInstance");
    *(void **)&codings.brotli_destroy = dlsym(library, "BrotliDecoderDestroyInstance");
    *(void **)&codings.brotli_decode = dlsym(library, "BrotliDecoderDecompressStream");
    *(void **)&codings.zstd_create = dlsym(library, "ZSTD_createDStream");
    *(void **)&codings.zstd_free = dlsym(library, "ZSTD_freeDStream");
    *(void **)&codings.zstd_set = dlsym(library, "ZSTD_DCtx_setParameter");
    *(void **)&codings.zstd_decode = dlsym(library, "ZSTD_decompressStream");
    *(void **)&codings.zstd_is_error = dlsym(library, "ZSTD_isError");
}

bool webimage_coding_is_available(webimage_coding coding) {
    switch (coding) {
        case WEBIMAGE_GZIP:
        case WEBIMAGE_DEFLATE:
            return codings.inflate_init && codings.inflate && codings.inflate_reset && codings.inflate_end;
        case WEBIMAGE_BROTLI: return codings.brotli_create && codings.brotli_destroy && codings.brotli_decode;
        case WEBIMAGE_ZSTD:
            return codings.zstd_create && codings.zstd_free && codings.zstd_set && codings.zstd_decode &&
                   codings.zstd_is_error;
    }
    return false;
}

struct webimage_decoder {
    webimage_coding coding;
    z_stream zlib;
    bool has_zlib;
    void *state;
    // The body may end here: behind a whole member, stream or frame.
    bool is_complete;
    bool has_input;
};

webimage_decoder *webimage_decoder_new(webimage_coding coding) {
    if (!webimage_coding_is_available(coding)) return NULL;
    webimage_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->coding = coding;
    if (coding == WEBIMAGE_BROTLI) decoder->state = codings.brotli_create(NULL, NULL, NULL);
    if (coding == WEBIMAGE_ZSTD) {
        decoder->state = codings.zstd_create();
        // ZSTD_d_windowLogMax: 8 MB, the most that RFC 9659 allows. The default would let a server allocate 128 MB.
        if (decoder->state) codings.zstd_set(decoder->state, 100, 23);
    }
    if ((coding == WEBIMAGE_BROTLI || coding == WEBIMAGE_ZSTD) && !decoder->state) {
        free(decoder);
        return NULL;
    }
    return decoder;
}

void webimage_decoder_free(webimage_decoder *decoder) {
    if (!decoder) return;
    if (decoder->has_zlib) codings.inflate_end(&decoder->zlib);
    if (decoder->state && decoder->coding == WEBIMAGE_BROTLI) codings.brotli_destroy(decoder->state);
    if (decoder->state && decoder->coding == WEBIMAGE_ZSTD) codings.zstd_free(decoder->state);
    free(decoder);
}

bool webimage_decoder_is_complete(const webimage_decoder *decoder) {
    return decoder->is_complete || !decoder->has_input;
}

static int inflate_part(webimage_decoder *decoder, const uint8_t *in, size_t in_size, size_t *consumed, uint8_t *out,
                        size_t out_size, size_t *written) {
    if (!decoder->has_zlib) {
        if (!in_size) return 0;
        // Servers send two forms as `deflate`: with zlib's head, as the standard says, and without.
        bool is_raw = decoder->coding == WEBIMAGE_DEFLATE && ((in[0] & 0x0F) != 8 || in[0] >> 4 > 7);
        int bits = decoder->coding == WEBIMAGE_GZIP ? 15 + 16 : is_raw ? -15 : 15;
        if (codings.inflate_init(&decoder->zlib, bits, ZLIB_VERSION, (int)sizeof(z_stream)) != Z_OK) return -1;
        decoder->has_zlib = true;
    } else if (decoder->is_complete) {
        if (!in_size) return 0;
        // A gzip file may have several members (RFC 1952 §2.2). Other bytes behind a member are padding.
        if (decoder->coding != WEBIMAGE_GZIP || in[0] != 0x1F) return 1;
        if (codings.inflate_reset(&decoder->zlib) != Z_OK) return -1;
        decoder->is_complete = false;
    }
    decoder->zlib.next_in = (Bytef *)in;
    decoder->zlib.avail_in = (uInt)in_size;
    decoder->zlib.next_out = out;
    decoder->zlib.avail_out = (uInt)out_size;
    int result = codings.inflate(&decoder->zlib, Z_NO_FLUSH);
    *consumed = in_size - decoder->zlib.avail_in;
    *written = out_size - decoder->zlib.avail_out;
    if (result == Z_STREAM_END) decoder->is_complete = true;
    return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR ? 0 : -1;
}

int webimage_decoder_run(webimage_decoder *decoder, const uint8_t *in, size_t in_size, size_t *consumed, uint8_t *out,
                         size_t out_size, size_t *written) {
    *consumed = *written = 0;
    if (in_size) decoder->has_input = true;
    if (decoder->coding == WEBIMAGE_BROTLI) {
        if (decoder->is_complete) return 1;
        size_t left = in_size, space = out_size;
        const uint8_t *from = in;
        uint8_t *to = out;
        // 0 is an error, 1 the end of the stream.
        int result = codings.brotli_decode(decoder->state, &left, &from, &space, &to, NULL);
        *consumed = in_size - left;
        *written = out_size - space;
        if (result == 1) decoder->is_complete = true;
        return result == 0 ? -1 : 0;
    }
    if (decoder->coding == WEBIMAGE_ZSTD) {
        ZstdIn from = {in, in_size, 0};
        ZstdOut to = {out, out_size, 0};
        size_t result = codings.zstd_decode(decoder->state, &to, &from);
        *consumed = from.pos;
        *written = to.pos;
        if (codings.zstd_is_error(result)) return -1;
        // Without input, the hint is that of the next frame.
        if (in_size || to.pos) decoder->is_complete = result == 0;
        return 0;
    }
    return inflate_part(decoder, in, in_size, consumed, out, out_size, written);
}
