import CWebImageSQLite
import Foundation
import WebImageCore

/// One SQLite connection and its prepared statements. Only one thread at a time may use the connection. The owner
/// ensures this with a lock.
final class Database {
    enum Mode {
        case readWrite
        case readOnly
        /// For a read-only file system. SQLite then uses no locks, because no process can write, and reads no log.
        case immutable
    }

    private let handle: OpaquePointer
    private var statements: [Statement] = []
    private var named: [String: Statement] = [:]

    /// Opens a database file. With `.readWrite`, creates the file if it does not exist.
    ///
    /// - Parameter busyMilliseconds: The longest time for which a statement waits for the lock of another connection, in
    ///   milliseconds. Then the statement fails, and ``DatabaseError/isWaiting`` is true.
    init(path: String, mode: Mode, busyMilliseconds: Int32 = 5000) throws(DatabaseError) {
        var opened: OpaquePointer?
        // SQLite's own mutex is not needed, because the owner of the connection has a lock.
        var flags = SQLITE_OPEN_NOMUTEX
        var name = path
        switch mode {
        case .readWrite: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        case .immutable:
            // Only a URI has the parameter `immutable`. Escape the characters that end its path or begin an escape.
            flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            var allowed = CharacterSet.urlPathAllowed
            allowed.remove(charactersIn: "?#%")
            name = "file:" + (path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path) + "?immutable=1"
        }
        let code = sqlite3_open_v2(name, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let error = DatabaseError(code: code, message: String(cString: sqlite3_errstr(code)))
            // SQLite returns a connection even if it cannot open the file.
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        HandleLedger.opened("sqlite3")
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, busyMilliseconds)
    }

    deinit {
        for statement in statements { statement.finalize() }
        sqlite3_close_v2(handle)
        HandleLedger.closed("sqlite3")
    }

    /// Prepares a statement. It remains valid until the connection is closed, so prepare each text only once.
    func prepare(_ sql: String) throws(DatabaseError) -> Statement {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw lastError(code) }
        let statement = Statement(prepared, of: handle)
        statements.append(statement)
        return statement
    }

    /// Returns the statement for an SQL text. The first call with this text prepares the statement. Intended for
    /// statements that run rarely.
    func prepareOnce(_ sql: String) throws(DatabaseError) -> Statement {
        if let statement = named[sql] { return statement }
        let statement = try prepare(sql)
        named[sql] = statement
        return statement
    }

    /// Runs statements that return no rows.
    func execute(_ sql: String) throws(DatabaseError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw lastError(code) }
    }

    /// Runs one statement and returns the first column of its first row; nil if there is no row.
    func integer(_ sql: String) throws(DatabaseError) -> Int? {
        let statement = try prepare(sql)
        defer {
            // `prepare` has appended the statement, which `deinit` must not finalize again.
            statements.removeLast()
            statement.finalize()
        }
        return try statement.step() ? statement.integer(0) : nil
    }

    /// The row id of the latest insert.
    var lastInsertedRow: Int { Int(sqlite3_last_insert_rowid(handle)) }

    private func lastError(_ code: Int32) -> DatabaseError {
        DatabaseError(code: code, message: String(cString: sqlite3_errmsg(handle)))
    }
}

/// A prepared statement. The ``Database`` owns and finalizes the statement.
///
/// To use it, bind values, call ``step()`` until it returns false, then reset. ``run(_:)`` and ``first(_:read:)`` do all
/// three steps.
final class Statement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer

    init(_ handle: OpaquePointer, of connection: OpaquePointer) {
        self.handle = handle
        self.connection = connection
        HandleLedger.opened("sqlite3_stmt")
    }

    func finalize() {
        sqlite3_finalize(handle)
        HandleLedger.closed("sqlite3_stmt")
    }

    /// Advances to the first or next row. Returns whether there is such a row.
    func step() throws(DatabaseError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw DatabaseError(code: code, message: String(cString: sqlite3_errmsg(connection)))
    }

    /// Resets the statement. The reset ends the read transaction of a `SELECT`. An open read transaction prevents
    /// checkpoints of the log.
    func reset() { sqlite3_reset(handle) }

    /// Runs a statement that returns no rows.
    func run(_ values: Value...) throws(DatabaseError) { try run(all: values) }

    /// Runs a statement that returns no rows.
    func run(all values: [Value]) throws(DatabaseError) {
        bind(values)
        defer { reset() }
        while try step() {}
    }

    /// Returns the first row; nil if there is none.
    func first<Row>(_ values: Value..., read: (Statement) -> Row) throws(DatabaseError) -> Row? {
        bind(values)
        defer { reset() }
        return try step() ? read(self) : nil
    }

    /// Returns all rows.
    func all<Row>(_ values: Value..., read: (Statement) -> Row) throws(DatabaseError) -> [Row] {
        bind(values)
        defer { reset() }
        var rows: [Row] = []
        while try step() { rows.append(read(self)) }
        return rows
    }

    /// Reads rows until `isLast` returns true or no row is left.
    func each(until isLast: (Statement) -> Bool) throws(DatabaseError) {
        defer { reset() }
        while try step() { if isLast(self) { return } }
    }

    // MARK: Binding

    enum Value {
        case null
        case integer(Int)
        case key(KeyHash)
        /// A blob of 16 bytes, the words in big-endian order; nil binds NULL.
        case words((high: UInt64, low: UInt64)?)
        case text(String?)
        case blob(Data?)
    }

    private func bind(_ values: [Value]) {
        for (offset, value) in values.enumerated() {
            let index = Int32(offset + 1)
            switch value {
            case .null, .words(nil), .text(nil), .blob(nil): sqlite3_bind_null(handle, index)
            case .integer(let number): sqlite3_bind_int64(handle, index, Int64(number))
            case .text(let text?): sqlite3_bind_text(handle, index, text, -1, Self.copied)
            case .key(let key): key.withBytes { _ = sqlite3_bind_blob(handle, index, $0.baseAddress, 16, Self.copied) }
            case .words(let (high, low)?):
                withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
                    _ = sqlite3_bind_blob(handle, index, $0.baseAddress, 16, Self.copied)
                }
            case .blob(let data?):
                data.withUnsafeBytes { bytes in
                    // Empty data may have a null address, which would bind NULL. NULL means an absent value, not an
                    // empty value.
                    if let base = bytes.baseAddress, bytes.count > 0 {
                        _ = sqlite3_bind_blob64(handle, index, base, UInt64(bytes.count), Self.copied)
                    } else {
                        _ = sqlite3_bind_zeroblob(handle, index, 0)
                    }
                }
            }
        }
    }

    /// `SQLITE_TRANSIENT`, which makes SQLite copy the bound bytes. Swift cannot import this macro.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    // MARK: Columns of the current row

    func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func text(_ column: Int32) -> String? {
        guard let text = sqlite3_column_text(handle, column) else { return nil }
        return String(cString: text)
    }

    func blob(_ column: Int32) -> Data? {
        guard !isNull(column) else { return nil }
        guard let bytes = sqlite3_column_blob(handle, column) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, column)))
    }

    func key(_ column: Int32) -> KeyHash? {
        guard sqlite3_column_bytes(handle, column) == 16, let bytes = sqlite3_column_blob(handle, column) else {
            return nil
        }
        return KeyHash(bytes: UnsafeRawBufferPointer(start: bytes, count: 16))
    }
}

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
