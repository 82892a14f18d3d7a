#pragma once
#include <stddef.h>

typedef struct peer_sqlite peer_sqlite;

/// Opens a database with one table of keys (text) and values (blob), and creates it if necessary. It uses WAL
/// mode and `synchronous=NORMAL`, as SQLite's documentation advises for many small writes. Returns NULL on
/// failure.
peer_sqlite *peer_sqlite_open(const char *path);
void peer_sqlite_close(peer_sqlite *database);
void peer_sqlite_begin(peer_sqlite *database);
void peer_sqlite_commit(peer_sqlite *database);
int peer_sqlite_put(peer_sqlite *database, const char *key, const void *bytes, size_t count);
/// Reads a value into newly allocated memory and frees that memory. Returns the length in bytes, or -1 for a
/// miss.
long peer_sqlite_get(peer_sqlite *database, const char *key);
/// Removes a sixteenth of the rows, oldest first. Returns 0 on success.
int peer_sqlite_evict(peer_sqlite *database);
long peer_sqlite_count(peer_sqlite *database);

/// Writes a file to a temporary name and renames it, so that no reader sees an incomplete file. Returns 0 on
/// success.
int peer_file_write(const char *path, const void *bytes, size_t count);
/// Reads a file into newly allocated memory and frees that memory. Returns the length in bytes, or -1 on
/// failure.
long peer_file_read(const char *path);
/// Removes a sixteenth of a folder's files, oldest first. To find the oldest, it calls fstatat(2) for every
/// file. Returns the number of removed files, or -1 on failure.
long peer_files_evict(const char *path);
