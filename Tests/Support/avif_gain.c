/* Applies the gain map of an AVIF file with libavif 1.2 or later, for Scripts/audit gain-maps: avif_gain FILE STOPS writes values of PQ
   with 16 bits, three for each pixel, in the primaries to which the factors belong: those of the base or of the alternate picture.
   avif_gain FILE properties writes as text: width, height, the quarter turns counter-clockwise, the axis of the mirroring that follows
   (-1: none, 0: top and bottom are exchanged, 1: left and right), and the two numbers of the light level. */
#include <avif/avif.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    return 1;
}

int main(int count, char **words) {
    avifDecoder *decoder = count == 3 ? avifDecoderCreate() : NULL;
    if (!decoder) return fail("usage: avif_gain FILE STOPS");
    decoder->strictFlags = AVIF_STRICT_DISABLED;
    decoder->imageContentToDecode = AVIF_IMAGE_CONTENT_ALL;
    if (avifDecoderSetIOFile(decoder, words[1]) != AVIF_RESULT_OK || avifDecoderParse(decoder) != AVIF_RESULT_OK ||
        avifDecoderNextImage(decoder) != AVIF_RESULT_OK)
        return fail(decoder->diag.error);
    const avifImage *base = decoder->image;
    if (strcmp(words[2], "properties") == 0) {
        int turns = base->transformFlags & AVIF_TRANSFORM_IROT ? base->irot.angle : 0;
        int axis = base->transformFlags & AVIF_TRANSFORM_IMIR ? base->imir.axis : -1;
        printf("%u %u %d %d %d %d\n", base->width, base->height, turns, axis, base->clli.maxCLL, base->clli.maxPALL);
        return 0;
    }
    if (!base->gainMap) return fail("no gain map");
    const avifGainMap *map = base->gainMap;
    avifColorPrimaries primaries = map->useBaseColorSpace ? base->colorPrimaries : map->altColorPrimaries;
    avifRGBImage result;
    memset(&result, 0, sizeof result);
    result.depth = 16;
    result.format = AVIF_RGB_FORMAT_RGB;
    result.maxThreads = 1;
    avifContentLightLevelInformationBox light;
    avifDiagnostics problem;
    if (avifImageApplyGainMap(
            base, map, (float)atof(words[2]), primaries, AVIF_TRANSFER_CHARACTERISTICS_PQ, &result, &light,
            &problem) != AVIF_RESULT_OK)
        return fail(problem.error);
    for (uint32_t row = 0; row < result.height; row++)
        fwrite(result.pixels + (size_t)row * result.rowBytes, 6, result.width, stdout);
    return 0;
}
