#if !__has_include(<sqlite3.h>)
#error "The headers of SQLite are missing: run Scripts/setup of swift-web-image, or install libsqlite3-dev"
#else

#include <sqlite3.h>
// Declares statfs(2), which Swift's Glibc module does not contain. The disk cache calls statfs to detect a network file
// system. On a network file system, the index of the cache must not use a write-ahead log.
#include <sys/vfs.h>

#endif
