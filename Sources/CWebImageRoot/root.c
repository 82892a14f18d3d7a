#include "CWebImageRoot.h"

// Defined in Swift (WebImage/Registration.swift).
extern void webimage_register_defaults(void);

// Swift has no static initialisers, and a program that only imports WebImageGTK and WebImage has no line
// of its own where the defaults could be registered. It stores three closures and opens nothing.
__attribute__((constructor)) static void register_defaults(void) {
    webimage_register_defaults();
}
