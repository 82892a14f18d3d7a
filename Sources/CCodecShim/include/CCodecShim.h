#ifndef CCODECSHIM_H
#define CCODECSHIM_H
#endif
