#pragma once
#include <stddef.h>

typedef struct peer_sqlite peer_sqlite;

/// Opens a database with one table of keys (text) and values (blob). Creates the database if it does not exist. The
/// database uses WAL mode and `synchronous=NORMAL`, as SQLite's documentation advises for many small writes. Returns
/// NULL on failure.
peer_sqlite *peer_sqlite_open(const char *path);
void peer_sqlite_close(peer_sqlite *database);
void peer_sqlite_begin(peer_sqlite *database);
void peer_sqlite_commit(peer_sqlite *database);
int peer_sqlite_put(peer_sqlite *database, const char *key, const void *bytes, size_t count);
/// Reads a value into newly allocated memory and frees that memory. Returns the length in bytes, or -1 for a
/// miss.
long peer_sqlite_get(peer_sqlite *database, const char *key);
/// Removes the oldest sixteenth of the rows. Returns 0 on success.
int peer_sqlite_evict(peer_sqlite *database);
long peer_sqlite_count(peer_sqlite *database);

/// Writes a file under a temporary name and then renames the file, so that no reader sees an incomplete file.
/// Returns 0 on success.
int peer_file_write(const char *path, const void *bytes, size_t count);
/// Reads a file into newly allocated memory and frees that memory. Returns the length in bytes, or -1 on
/// failure.
long peer_file_read(const char *path);
/// Removes the oldest sixteenth of the files in a folder. To find the oldest files, it calls fstatat(2) for every
/// file. Returns the number of removed files, or -1 on failure.
long peer_files_evict(const char *path);
