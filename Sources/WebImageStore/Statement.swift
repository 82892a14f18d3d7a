import CWebImageSQLite
import Foundation
import WebImageCore

/// A prepared statement. The ``Database`` owns and finalizes the statement.
///
/// To use it, bind values, call ``step()`` until it returns false, then reset. ``run(_:)`` and ``first(_:_:)`` do all
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
        case text(String?)
        case blob(Data?)
    }

    private func bind(_ values: [Value]) {
        for (offset, value) in values.enumerated() {
            let index = Int32(offset + 1)
            switch value {
            case .null, .text(nil), .blob(nil): sqlite3_bind_null(handle, index)
            case .integer(let number): sqlite3_bind_int64(handle, index, Int64(number))
            case .text(let text?): sqlite3_bind_text(handle, index, text, -1, Self.copied)
            case .key(let key): key.withBytes { _ = sqlite3_bind_blob(handle, index, $0.baseAddress, 16, Self.copied) }
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
