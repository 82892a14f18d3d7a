#ifndef CWEBIMAGEROOT_H
#define CWEBIMAGEROOT_H
// This header declares nothing, because the constructor in root.c runs without a call.
#endif
