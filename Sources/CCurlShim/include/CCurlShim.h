#ifndef CCURLSHIM_H
#define CCURLSHIM_H
#endif
