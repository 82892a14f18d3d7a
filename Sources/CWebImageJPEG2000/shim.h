#if !__has_include(<openjpeg-2.5/openjpeg.h>)
#error "The headers of OpenJPEG 2.5 are missing: run Scripts/setup of swift-web-image, or install libopenjp2-7-dev"
#else

#include <openjpeg-2.5/openjpeg.h>
#include <CWebImageSharedLibrary.h>

// The library's file name since OpenJPEG 2.0. This package requires OpenJPEG 2.5, because earlier versions read a file
// that ends too early without an error.
#define OPENJPEG_LIBRARY "libopenjp2.so.7"

#define OPENJPEG_FUNCTIONS(take)                                                                                \
    take(opj_create_decompress) take(opj_decode) take(opj_decoder_set_strict_mode) take(opj_destroy_codec)      \
    take(opj_destroy_cstr_info) take(opj_get_cstr_info) take(opj_image_destroy) take(opj_read_header)           \
    take(opj_set_decode_area) take(opj_set_decoded_resolution_factor) take(opj_set_default_decoder_parameters)  \
    take(opj_set_error_handler) take(opj_setup_decoder) take(opj_stream_create) take(opj_stream_destroy)        \
    take(opj_stream_set_read_function) take(opj_stream_set_seek_function) take(opj_stream_set_skip_function)    \
    take(opj_stream_set_user_data) take(opj_stream_set_user_data_length) take(opj_version)

SHARED_LIBRARY_TABLE(OpenJPEGFunctions, OPENJPEG_FUNCTIONS)

#endif
