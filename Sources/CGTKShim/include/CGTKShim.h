#ifndef CGTKSHIM_H
#define CGTKSHIM_H
#endif
