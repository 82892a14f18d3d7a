#if !__has_include(<zimg.h>)
#error "The headers of zimg are missing: run Scripts/setup of swift-web-image, or install libzimg-dev"
#else

#include <zimg.h>

/* Sets a plane of the target. In C because the planes are an array of an unnamed struct, which Swift does not import. */
static inline void webimage_zimg_set_plane(
    zimg_image_buffer *buffer, int plane, void *data, ptrdiff_t stride, unsigned mask) {
    buffer->plane[plane].data = data;
    buffer->plane[plane].stride = stride;
    buffer->plane[plane].mask = mask;
}

/* Sets a plane of the source. In C because Swift does not import an array of an unnamed struct. */
static inline void webimage_zimg_set_const_plane(
    zimg_image_buffer_const *buffer, int plane, const void *data, ptrdiff_t stride, unsigned mask) {
    buffer->plane[plane].data = data;
    buffer->plane[plane].stride = stride;
    buffer->plane[plane].mask = mask;
}

#endif
