// Returns 1. A build that links this function has compiled the package's declarations of librsvg functions together
// with the library's own.
int webimage_rsvg_declarations_are_theirs(void);
