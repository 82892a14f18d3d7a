#include "CWebImageGetoptShim.h"

void wi_getopt_reset(void) {
    optind = 0;
    opterr = 0;
}

const char *wi_getopt_argument(void) { return optarg; }

int wi_getopt_index(void) { return optind; }

int wi_getopt_unknown(void) { return optopt; }
