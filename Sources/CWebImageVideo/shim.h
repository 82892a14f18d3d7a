#if !__has_include(<libavformat/avformat.h>) || !__has_include(<libswscale/swscale.h>)
#error "The headers of FFmpeg are missing: run Scripts/setup of swift-web-image, or install libavformat-dev, libswscale-dev"
#else

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/display.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
#include <CWebImageSharedLibrary.h>

// The file names of the libraries. Most fields of their structures move with each major version, and each major version
// has its own file name. So the libraries that are loaded have the layouts of these headers.
#define VIDEO_TEXT_OF(number) #number
#define VIDEO_TEXT(number) VIDEO_TEXT_OF(number)
static const char *_Nonnull const VIDEO_UTIL_LIBRARY = "libavutil.so." VIDEO_TEXT(LIBAVUTIL_VERSION_MAJOR);
static const char *_Nonnull const VIDEO_CODEC_LIBRARY = "libavcodec.so." VIDEO_TEXT(LIBAVCODEC_VERSION_MAJOR);
static const char *_Nonnull const VIDEO_FORMAT_LIBRARY = "libavformat.so." VIDEO_TEXT(LIBAVFORMAT_VERSION_MAJOR);
static const char *_Nonnull const VIDEO_SCALE_LIBRARY = "libswscale.so." VIDEO_TEXT(LIBSWSCALE_VERSION_MAJOR);

// Debian 12 has version 5.1, whose side data are fields of the stream. Since version 6.1 they are fields of its parameters.
#define VIDEO_HAS_CODED_SIDE_DATA (LIBAVCODEC_VERSION_MAJOR > 60)
#if VIDEO_HAS_CODED_SIDE_DATA
#define VIDEO_SIDE_DATA_OF_CODEC(take) take(av_packet_side_data_get)
#define VIDEO_SIDE_DATA_OF_FORMAT(take)
#else
#define VIDEO_SIDE_DATA_OF_CODEC(take)
#define VIDEO_SIDE_DATA_OF_FORMAT(take) take(av_stream_get_side_data)
#endif

#define AVUTIL_FUNCTIONS(take)                                                                                  \
    take(av_dict_free) take(av_dict_get) take(av_dict_set) take(av_frame_alloc) take(av_frame_free)                               \
    take(av_frame_get_side_data) take(av_frame_move_ref) take(av_frame_unref) take(av_free) take(av_log_set_level) take(av_malloc) take(av_opt_set_int)              \
    take(av_pix_fmt_desc_get) take(av_strerror) take(av_version_info) take(avutil_version)

#define AVCODEC_FUNCTIONS(take)                                                                                 \
    take(av_packet_alloc) take(av_packet_free) take(av_packet_unref) take(avcodec_alloc_context3)               \
    take(avcodec_find_decoder) take(avcodec_find_decoder_by_name) take(avcodec_flush_buffers) take(avcodec_free_context) take(avcodec_get_name)     \
    take(avcodec_open2) take(avcodec_parameters_to_context) take(avcodec_receive_frame)                         \
    take(avcodec_send_packet) take(avcodec_version) VIDEO_SIDE_DATA_OF_CODEC(take)

#define AVFORMAT_FUNCTIONS(take)                                                                                \
    take(av_find_best_stream) take(av_find_input_format) take(av_guess_sample_aspect_ratio) take(av_read_frame) \
    take(av_seek_frame) take(avformat_alloc_context) take(avformat_close_input) take(avformat_find_stream_info) \
    take(avformat_free_context) take(avformat_open_input) take(avformat_version) take(avio_alloc_context)       \
    take(avio_context_free) VIDEO_SIDE_DATA_OF_FORMAT(take)

#define SWSCALE_FUNCTIONS(take)                                                                                 \
    take(sws_alloc_context) take(sws_freeContext) take(sws_getCoefficients) take(sws_init_context)              \
    take(sws_isSupportedInput) take(sws_scale) take(sws_setColorspaceDetails) take(swscale_version)

SHARED_LIBRARY_TABLE(AVUtilFunctions, AVUTIL_FUNCTIONS)
SHARED_LIBRARY_TABLE(AVCodecFunctions, AVCODEC_FUNCTIONS)
SHARED_LIBRARY_TABLE(AVFormatFunctions, AVFORMAT_FUNCTIONS)
SHARED_LIBRARY_TABLE(SwScaleFunctions, SWSCALE_FUNCTIONS)

// Swift does not import these macros, because they contain casts or calls.
enum {
    WEBIMAGE_VIDEO_END = AVERROR_EOF,
    WEBIMAGE_VIDEO_INVALID = AVERROR_INVALIDDATA,
    WEBIMAGE_VIDEO_NO_STREAM = AVERROR_STREAM_NOT_FOUND,
};
static const int64_t WEBIMAGE_VIDEO_NO_TIME = AV_NOPTS_VALUE;

// The data of a kind that the container stores beside a stream; NULL if there is none, or less than `least` bytes.
static inline const uint8_t *_Nullable webimage_video_side_data(
    const AVCodecFunctions *_Nonnull codec, const AVFormatFunctions *_Nonnull format, const AVStream *_Nonnull stream,
    enum AVPacketSideDataType type, size_t least) {
#if VIDEO_HAS_CODED_SIDE_DATA
    (void)format;
    const AVPacketSideData *found = codec->av_packet_side_data_get(
        stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, type);
    return found && found->size >= least ? found->data : NULL;
#else
    (void)codec;
    size_t size = 0;
    const uint8_t *data = format->av_stream_get_side_data(stream, type, &size);
    return data && size >= least ? data : NULL;
#endif
}

// Whether a layout of pixels has the limited range replaced by the full one in its name. The decoder of MJPEG uses them.
static inline int webimage_video_is_full_range(const AVFrame *_Nonnull frame) {
    switch (frame->format) {
    case AV_PIX_FMT_YUVJ420P:
    case AV_PIX_FMT_YUVJ422P:
    case AV_PIX_FMT_YUVJ444P:
    case AV_PIX_FMT_YUVJ440P:
    case AV_PIX_FMT_YUVJ411P: return 1;
    default: return frame->color_range == AVCOL_RANGE_JPEG;
    }
}

// Writes a frame as BGRA, RGBA or RGBA of 16 bits. `matrix` is its code in H.273. Returns 0, or an error.
//
// One function, because Swift cannot pass the arrays in a frame to swscale without copies.
static inline int webimage_video_convert(
    const AVUtilFunctions *_Nonnull util, const SwScaleFunctions *_Nonnull scale, const AVFrame *_Nonnull frame,
    int matrix, int flags, enum AVPixelFormat target_format, uint8_t *_Nonnull target, int stride) {
    struct SwsContext *context = scale->sws_alloc_context();
    if (context == NULL) return AVERROR(ENOMEM);
    const int64_t options[] = {frame->width, frame->height, frame->format, frame->width, frame->height, target_format};
    static const char *const names[] = {"srcw", "srch", "src_format", "dstw", "dsth", "dst_format"};
    int status = 0;
    for (int i = 0; i < 6 && status >= 0; i++) status = util->av_opt_set_int(context, names[i], options[i], 0);
    if (status >= 0) status = util->av_opt_set_int(context, "sws_flags", flags, 0);
    // Where the samples of chroma lie, in 1/256 of a pixel. Without these, swscale takes the middle between pixels; the
    // standards of video place them on the left pixel if the file says nothing.
    const AVPixFmtDescriptor *layout = util->av_pix_fmt_desc_get((enum AVPixelFormat)frame->format);
    if (status >= 0 && layout && layout->log2_chroma_w == 1) {
        int across = 0, down = 128;
        switch (frame->chroma_location) {
        case AVCHROMA_LOC_CENTER: across = 128; break;
        case AVCHROMA_LOC_TOPLEFT: down = 0; break;
        case AVCHROMA_LOC_TOP: across = 128; down = 0; break;
        case AVCHROMA_LOC_BOTTOMLEFT: down = 256; break;
        case AVCHROMA_LOC_BOTTOM: across = 128; down = 256; break;
        default: break;
        }
        util->av_opt_set_int(context, "src_h_chr_pos", across, 0);
        if (layout->log2_chroma_h == 1) util->av_opt_set_int(context, "src_v_chr_pos", down, 0);
    }
    if (status >= 0) status = scale->sws_init_context(context, NULL, NULL);
    if (status >= 0) {
        // A layout of RGB has no matrix, and this call then fails without an effect.
        scale->sws_setColorspaceDetails(
            context, scale->sws_getCoefficients(matrix), webimage_video_is_full_range(frame),
            scale->sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16);
        uint8_t *const planes[4] = {target, NULL, NULL, NULL};
        const int strides[4] = {stride, 0, 0, 0};
        int rows = scale->sws_scale(
            context, (const uint8_t *const *)frame->data, frame->linesize, 0, frame->height, planes, strides);
        status = rows == frame->height ? 0 : rows < 0 ? rows : AVERROR_INVALIDDATA;
    }
    scale->sws_freeContext(context);
    return status;
}

// The mean of every eighth sample of the first plane, which is luma or green, as 0...255. Returns -1 for layouts whose
// first plane is neither.
static inline double webimage_video_mean(const AVUtilFunctions *_Nonnull util, const AVFrame *_Nonnull frame) {
    const AVPixFmtDescriptor *layout = util->av_pix_fmt_desc_get((enum AVPixelFormat)frame->format);
    if (!layout || layout->flags & (AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_BE)) return -1;
    const int plane = layout->comp[0].plane, bytes = (layout->comp[0].depth + 7) / 8;
    if (!frame->data[plane] || layout->comp[0].step != bytes || bytes > 2) return -1;
    uint64_t sum = 0, count = 0;
    for (int y = 0; y < frame->height; y += 8) {
        const uint8_t *row = frame->data[plane] + (ptrdiff_t)y * frame->linesize[plane];
        for (int x = 0; x < frame->width; x += 8, count++) {
            sum += bytes == 1 ? row[x] : ((const uint16_t *)(const void *)row)[x] >> layout->comp[0].shift;
        }
    }
    return count ? (double)sum / (double)count * 255 / ((1 << layout->comp[0].depth) - 1) : -1;
}

#endif
