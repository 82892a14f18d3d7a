#include <sqlite3.h>
// statfs(2), which Swift's Glibc module leaves out: an index on a network file system gets no write-ahead log.
#include <sys/vfs.h>
