import CWebImageSQLite
import Foundation
import WebImageCore

/// One SQLite connection and its prepared statements. Only one thread at a time may use the connection. The owner
/// ensures this with a lock.
final class Database {
    enum Mode {
        case readWrite
        case readOnly
        /// For a read-only file system. SQLite then uses no locks and no log, because no process can write.
        case immutable
    }

    private let handle: OpaquePointer
    private var statements: [Statement] = []
    private var named: [String: Statement] = [:]

    /// Opens a database file. With `.readWrite`, creates the file if it does not exist.
    init(path: String, mode: Mode, busyMilliseconds: Int32 = 5000) throws(DatabaseError) {
        var opened: OpaquePointer?
        var flags = SQLITE_OPEN_NOMUTEX
        var name = path
        switch mode {
        case .readWrite: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        case .immutable:
            flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            var allowed = CharacterSet.urlPathAllowed
            allowed.remove(charactersIn: "?#%")
            name = "file:" + (path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path) + "?immutable=1"
        }
        let code = sqlite3_open_v2(name, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let error = DatabaseError(code: code, message: String(cString: sqlite3_errstr(code)))
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

    /// Prepares a statement. It remains valid until the connection is closed.
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

    /// Runs one statement and returns the first column of its first row.
    func integer(_ sql: String) throws(DatabaseError) -> Int? {
        let statement = try prepare(sql)
        defer {
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
