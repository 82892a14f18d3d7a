// Returns 1: this package's declarations of librsvg functions were compiled together with the library's own.
int webimage_rsvg_declarations_are_theirs(void);
