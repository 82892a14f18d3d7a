// SQLite and plain files are competitors of our disk cache. The benchmark calls them from C, so that Swift adds no
// overhead to their times.
#include "CSQLitePeer.h"
#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct peer_sqlite {
    sqlite3 *handle;
    sqlite3_stmt *put, *get;
};

peer_sqlite *peer_sqlite_open(const char *path) {
    peer_sqlite *database = calloc(1, sizeof *database);
    if (sqlite3_open(path, &database->handle)) return NULL;
    sqlite3_exec(database->handle,
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
        "CREATE TABLE v(id INTEGER PRIMARY KEY, k TEXT UNIQUE, b BLOB)", 0, 0, 0);
    sqlite3_prepare_v2(database->handle, "INSERT OR REPLACE INTO v(k, b) VALUES(?, ?)", -1, &database->put, 0);
    sqlite3_prepare_v2(database->handle, "SELECT b FROM v WHERE k = ?", -1, &database->get, 0);
    return database;
}

void peer_sqlite_close(peer_sqlite *database) {
    sqlite3_finalize(database->put);
    sqlite3_finalize(database->get);
    sqlite3_close(database->handle);
    free(database);
}

void peer_sqlite_begin(peer_sqlite *database) { sqlite3_exec(database->handle, "BEGIN IMMEDIATE", 0, 0, 0); }
void peer_sqlite_commit(peer_sqlite *database) { sqlite3_exec(database->handle, "COMMIT", 0, 0, 0); }

int peer_sqlite_put(peer_sqlite *database, const char *key, const void *bytes, size_t count) {
    sqlite3_bind_text(database->put, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_blob(database->put, 2, bytes, (int)count, SQLITE_STATIC);
    int code = sqlite3_step(database->put);
    sqlite3_reset(database->put);
    return code == SQLITE_DONE ? 0 : -1;
}

long peer_sqlite_get(peer_sqlite *database, const char *key) {
    sqlite3_bind_text(database->get, 1, key, -1, SQLITE_STATIC);
    long count = -1;
    if (sqlite3_step(database->get) == SQLITE_ROW) {
        count = sqlite3_column_bytes(database->get, 0);
        void *copy = malloc(count);
        memcpy(copy, sqlite3_column_blob(database->get, 0), count);
        free(copy);
    }
    sqlite3_reset(database->get);
    return count;
}

int peer_sqlite_evict(peer_sqlite *database) {
    return sqlite3_exec(database->handle,
        "DELETE FROM v WHERE id IN (SELECT id FROM v ORDER BY id LIMIT (SELECT count(*) / 16 FROM v))", 0, 0, 0);
}

long peer_sqlite_count(peer_sqlite *database) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(database->handle, "SELECT count(*) FROM v", -1, &statement, 0)) return -1;
    long count = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
    sqlite3_finalize(statement);
    return count;
}

int peer_file_write(const char *path, const void *bytes, size_t count) {
    char temporary[4096];
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    int file = open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0) return -1;
    ssize_t written = write(file, bytes, count);
    close(file);
    return written == (ssize_t)count ? rename(temporary, path) : -1;
}

long peer_file_read(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    struct stat status;
    fstat(file, &status);
    char *memory = malloc(status.st_size);
    ssize_t count = read(file, memory, status.st_size);
    free(memory);
    close(file);
    return count;
}

struct file {
    struct timespec time;
    char name[48];
};

static int older(const void *first, const void *second) {
    const struct timespec *a = &((const struct file *)first)->time, *b = &((const struct file *)second)->time;
    if (a->tv_sec != b->tv_sec) return a->tv_sec < b->tv_sec ? -1 : 1;
    return a->tv_nsec < b->tv_nsec ? -1 : a->tv_nsec > b->tv_nsec;
}

long peer_files_evict(const char *path) {
    DIR *folder = opendir(path);
    if (!folder) return -1;
    size_t count = 0, room = 1024;
    struct file *files = malloc(room * sizeof *files);
    for (struct dirent *entry; (entry = readdir(folder));) {
        struct stat status;
        if (entry->d_name[0] == '.' || fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW)) continue;
        if (count == room) files = realloc(files, (room *= 2) * sizeof *files);
        files[count].time = status.st_mtim;
        snprintf(files[count++].name, sizeof files->name, "%s", entry->d_name);
    }
    qsort(files, count, sizeof *files, older);
    long gone = 0;
    for (size_t index = 0; index < count / 16; index++) gone += unlinkat(dirfd(folder), files[index].name, 0) == 0;
    free(files);
    closedir(folder);
    return gone;
}
