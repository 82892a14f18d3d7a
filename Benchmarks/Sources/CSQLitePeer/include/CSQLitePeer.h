#pragma once
#include <stddef.h>

typedef struct peer_sqlite peer_sqlite;

/// Opens a database with one table of keys (text) and values (blob), configured as SQLite's documentation advises for
/// many small writes.
peer_sqlite *peer_sqlite_open(const char *path);
void peer_sqlite_close(peer_sqlite *database);
void peer_sqlite_begin(peer_sqlite *database);
void peer_sqlite_commit(peer_sqlite *database);
int peer_sqlite_put(peer_sqlite *database, const char *key, const void *bytes, size_t count);
/// Reads a value into new memory and frees the memory. Returns the length in bytes, or -1.
long peer_sqlite_get(peer_sqlite *database, const char *key);
/// Removes a sixteenth of the rows, oldest first. Returns 0 on success.
int peer_sqlite_evict(peer_sqlite *database);
long peer_sqlite_count(peer_sqlite *database);

/// Writes a file under a temporary name and renames it.
int peer_file_write(const char *path, const void *bytes, size_t count);
/// Reads a file into new memory and frees the memory. Returns the length in bytes, or -1.
long peer_file_read(const char *path);
/// Removes a sixteenth of a folder's files, oldest first, which requires a stat of each. Returns the number removed, or
/// -1.
long peer_files_evict(const char *path);
