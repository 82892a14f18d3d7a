#if !__has_include(<sqlite3.h>)
#error "The headers of SQLite are missing: run Scripts/setup of swift-web-image, or install libsqlite3-dev"
#else

#include <sqlite3.h>
// statfs(2), which Swift's Glibc module lacks: an index on a network file system must not use a write-ahead log.
#include <sys/vfs.h>

#endif
