#if !__has_include(<zimg.h>)
#error "The headers of zimg are missing: run Scripts/setup of swift-web-image, or install libzimg-dev"
#else

#include <zimg.h>

/* Sets a plane of the target. C is necessary, because the planes are an array of an unnamed struct.
   Swift does not import such an array. */
static inline void webimage_zimg_set_plane(
    zimg_image_buffer *buffer, int plane, void *data, ptrdiff_t stride, unsigned mask) {
    buffer->plane[plane].data = data;
    buffer->plane[plane].stride = stride;
    buffer->plane[plane].mask = mask;
}

/* Sets a plane of the source. C is necessary, because the planes are an array of an unnamed struct.
   Swift does not import such an array. */
static inline void webimage_zimg_set_const_plane(
    zimg_image_buffer_const *buffer, int plane, const void *data, ptrdiff_t stride, unsigned mask) {
    buffer->plane[plane].data = data;
    buffer->plane[plane].stride = stride;
    buffer->plane[plane].mask = mask;
}

#endif
