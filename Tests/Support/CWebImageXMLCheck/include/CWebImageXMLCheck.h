// Returns 1. A build that contains this function has compiled the package's declarations of libxml2's functions together
// with libxml2's headers.
int webimage_xml_declarations_are_theirs(void);
