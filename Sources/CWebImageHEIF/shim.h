#if !__has_include(<libheif/heif.h>)
#error "The headers of libheif are missing: run Scripts/setup of swift-web-image, or install libheif-dev"
#else

#include <libheif/heif.h>
#include <CWebImageSharedLibrary.h>

#define HEIF_LIBRARY "libheif.so.1"

#define HEIF_FUNCTIONS(take)                                                                                    \
    take(heif_context_alloc) take(heif_context_encode_image) take(heif_context_encode_thumbnail)                \
    take(heif_context_free)                                                                                     \
    take(heif_context_get_encoder_for_format) take(heif_context_get_primary_image_handle)                       \
    take(heif_context_read_from_memory_without_copy) take(heif_context_set_max_decoding_threads)                \
    take(heif_context_set_maximum_image_size_limit) take(heif_context_write) take(heif_decode_image)            \
    take(heif_decoding_options_alloc) take(heif_decoding_options_free) take(heif_encoder_release)               \
    take(heif_encoder_set_logging_level) take(heif_encoder_set_lossless) take(heif_encoder_set_lossy_quality)   \
    take(heif_get_version) take(heif_have_decoder_for_format) take(heif_have_encoder_for_format)                \
    take(heif_image_add_plane) take(heif_image_get_bits_per_pixel_range) take(heif_image_create) take(heif_image_get_height) take(heif_image_get_plane)   \
    take(heif_image_get_plane_readonly) take(heif_image_get_width) take(heif_image_handle_get_height)           \
    take(heif_image_handle_get_luma_bits_per_pixel) take(heif_image_handle_get_nclx_color_profile)              \
    take(heif_image_handle_get_raw_color_profile) take(heif_image_handle_get_raw_color_profile_size)            \
    take(heif_image_handle_get_width) take(heif_image_handle_has_alpha_channel) take(heif_image_handle_release) \
    take(heif_image_is_premultiplied_alpha) take(heif_image_release) take(heif_image_set_raw_color_profile) \
    take(heif_nclx_color_profile_free) take(heif_context_read_from_memory)                                        \
    take(heif_image_handle_get_number_of_auxiliary_images) take(heif_image_handle_get_list_of_auxiliary_image_IDs) \
    take(heif_image_handle_get_auxiliary_image_handle) take(heif_image_handle_get_auxiliary_type)                \
    take(heif_image_handle_free_auxiliary_types) take(heif_image_handle_get_number_of_metadata_blocks)         \
    take(heif_image_handle_get_list_of_metadata_block_IDs) take(heif_image_handle_get_metadata_size)             \
    take(heif_image_handle_get_metadata)

SHARED_LIBRARY_TABLE(HEIFFunctions, HEIF_FUNCTIONS)

#endif
