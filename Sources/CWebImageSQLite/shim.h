#if !__has_include(<sqlite3.h>)
#error "The headers of SQLite are missing: run Scripts/setup of swift-web-image, or install libsqlite3-dev"
#else

#include <sqlite3.h>
// statfs(2), which Swift's Glibc module leaves out: an index on a network file system gets no write-ahead log.
#include <sys/vfs.h>

#endif
