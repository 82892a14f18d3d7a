// A table of a system library's functions, found by name when the library is loaded at run time.
//
// The types come from the library's own header, so that the compiler checks each call as it checks the calls of a linked
// library. Swift cannot declare such a table: it cannot name the type of a C function, and a call of the function would make
// the linker require the library.
#ifndef CSHAREDLIBRARY_H
#define CSHAREDLIBRARY_H

#include <dlfcn.h>
#include <stddef.h>

#define SHARED_LIBRARY_MEMBER(name) __typeof__(name) *_Nonnull name;
#define SHARED_LIBRARY_BIND(name)                              \
    *(void **)&table->name = dlsym(library, #name);            \
    if (*(void **)&table->name == NULL) return #name;

// Declares `Table`, and `Table_bind`, which fills one from an open library and returns the name of a missing function,
// or NULL.
#define SHARED_LIBRARY_TABLE(Table, functions)                                                                  \
    typedef struct Table {                                                                                      \
        functions(SHARED_LIBRARY_MEMBER)                                                                        \
    } Table;                                                                                                    \
    static inline const char *_Nullable Table##_bind(void *_Nonnull library, Table *_Nonnull table) {           \
        functions(SHARED_LIBRARY_BIND) return NULL;                                                             \
    }

#endif
