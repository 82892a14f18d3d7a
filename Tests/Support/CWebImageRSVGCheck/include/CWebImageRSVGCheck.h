// Returns 1. A build that contains this function has compiled the package's declarations of librsvg functions together
// with librsvg's headers.
int webimage_rsvg_declarations_are_theirs(void);
