#include "CWebImageRoot.h"

// Swift code defines this function (WebImage/Registration.swift).
extern void webimage_register_defaults(void);

// Registers the default coders, loader and disk cache before `main`, so that a program does not have to register them.
// Swift has no static initialisers, so this constructor is written in C. The call only stores closures. It opens no
// file and no library.
__attribute__((constructor)) static void register_defaults(void) {
    webimage_register_defaults();
}
