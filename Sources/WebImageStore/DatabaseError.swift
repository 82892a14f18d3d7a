import CWebImageSQLite
import WebImageCore

/// An error of SQLite: its extended result code and its message.
struct DatabaseError: Error, Equatable {
    let code: Int32
    let message: String

    /// Whether the file is damaged or is not a database. Nothing in the file is then reliable.
    var isCorruption: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }
    /// Whether the file or its file system does not allow writes.
    var isReadOnly: Bool { primary == SQLITE_READONLY || primary == SQLITE_CANTOPEN || primary == SQLITE_PERM }
    /// Whether waiting for the lock of another connection took too long.
    var isWaiting: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }

    /// Whether the disk is full, memory is exhausted, or the disk failed.
    var isFull: Bool { primary == SQLITE_FULL || primary == SQLITE_IOERR || primary == SQLITE_NOMEM }

    private var primary: Int32 { code & 0xFF }

    /// The error that users of the library receive instead of this error.
    var asWebImageError: WebImageError {
        WebImageError(
            .fileSystem, stage: .store, underlying: .sqlite(code: Int(code), message: message),
            hint: "Check the cache folder's permissions and free space; loads continue without the disk cache.")
    }
}
