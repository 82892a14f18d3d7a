import CWebImageSQLite
import WebImageCore

/// SQLite's extended result code and its words.
struct DatabaseError: Error, Equatable {
    let code: Int32
    let message: String

    /// The file is no database or a damaged one: nothing in it can be relied on.
    var isCorruption: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }
    /// The file or its file system takes no writes.
    var isReadOnly: Bool { primary == SQLITE_READONLY || primary == SQLITE_CANTOPEN || primary == SQLITE_PERM }
    /// Another connection held its lock for too long.
    var isWaiting: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }

    /// There is no room for what was to be written.
    var isFull: Bool { primary == SQLITE_FULL || primary == SQLITE_IOERR || primary == SQLITE_NOMEM }

    private var primary: Int32 { code & 0xFF }

    /// The error as users of the library see it.
    var asWebImageError: WebImageError {
        WebImageError(
            .fileSystem, stage: .store, underlying: .sqlite(code: Int(code), message: message),
            hint: "Look at the cache folder's rights and free space; loads go on without the disk cache.")
    }
}
