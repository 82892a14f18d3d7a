// 1: the declarations of librsvg this package calls were compiled together with the library's own.
int webimage_rsvg_declarations_are_theirs(void);
