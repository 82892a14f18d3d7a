// A table of pointers to the functions of a system library. The program loads the library at run time and finds each
// function by its name.
//
// The header of the library declares the types of the functions. Therefore the compiler checks each call in the same
// way as a call of a linked library. Swift code cannot declare such a table, because it cannot name the type of a C
// function. It also cannot call the function directly, because then the linker would require the library.
#ifndef CSHAREDLIBRARY_H
#define CSHAREDLIBRARY_H

#include <stddef.h>

// Finds functions in an open library and writes their addresses, one after the other, to `table`. Returns NULL if the
// library has all functions. Otherwise returns the name of the first missing function.
const char *_Nullable webimage_find_functions(
    void *_Nonnull library, const char *_Nonnull const *_Nonnull names, size_t count, void *_Nonnull table);

#define SHARED_LIBRARY_MEMBER(name) __typeof__(name) *_Nonnull name;
#define SHARED_LIBRARY_NAME(name) #name,

// Declares the structure `Table` and the function `Table_bind`. `Table_bind` looks up all functions in an open library
// and stores their addresses in a table. It returns NULL if the library has all functions. Otherwise it returns the
// name of the first missing function.
#define SHARED_LIBRARY_TABLE(Table, functions)                                                                  \
    typedef struct Table {                                                                                      \
        functions(SHARED_LIBRARY_MEMBER)                                                                        \
    } Table;                                                                                                    \
    static inline const char *_Nullable Table##_bind(void *_Nonnull library, Table *_Nonnull table) {           \
        const char *_Nonnull const names[] = {functions(SHARED_LIBRARY_NAME)};                                  \
        return webimage_find_functions(library, names, sizeof names / sizeof *names, table);                    \
    }

#endif
