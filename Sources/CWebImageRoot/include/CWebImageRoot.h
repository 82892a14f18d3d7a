#ifndef CWEBIMAGEROOT_H
#define CWEBIMAGEROOT_H
// Nothing to call: the object file's constructor does the work.
#endif
