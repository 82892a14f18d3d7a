#include "CWebImageSharedLibrary.h"

#include <dlfcn.h>
#include <string.h>

const char *webimage_find_functions(void *library, const char *const *names, size_t count, void *table) {
    for (size_t index = 0; index < count; index++) {
        void *function = dlsym(library, names[index]);
        if (function == NULL) return names[index];
        memcpy((char *)table + index * sizeof function, &function, sizeof function);
    }
    return NULL;
}
