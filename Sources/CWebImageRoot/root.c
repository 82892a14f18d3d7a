#include "CWebImageRoot.h"

// Defined in Swift (WebImage/Registration.swift).
extern void webimage_register_defaults(void);

// Swift has no static initialisers, and a program that imports only WebImageGTK and WebImage has no code of its own
// that could register the defaults. The call stores closures and opens nothing.
__attribute__((constructor)) static void register_defaults(void) {
    webimage_register_defaults();
}
