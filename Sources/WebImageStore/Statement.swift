import CWebImageSQLite
import Foundation
import WebImageCore

/// A prepared statement; owned and finalized by its ``Database``.
///
/// Use: bind, step until false, reset. ``run(_:)`` and ``first(_:_:)`` do all three.
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

    /// Whether there is a (further) row.
    func step() throws(DatabaseError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw DatabaseError(code: code, message: String(cString: sqlite3_errmsg(connection)))
    }

    /// Ends the read transaction of a select; an open one prevents checkpoints of the log.
    func reset() { sqlite3_reset(handle) }

    /// Executes for its effect.
    func run(_ values: Value...) throws(DatabaseError) { try run(all: values) }

    /// Executes for its effect.
    func run(all values: [Value]) throws(DatabaseError) {
        bind(values)
        defer { reset() }
        while try step() {}
    }

    /// Reads the first row, nil when there is none.
    func first<Row>(_ values: Value..., read: (Statement) -> Row) throws(DatabaseError) -> Row? {
        bind(values)
        defer { reset() }
        return try step() ? read(self) : nil
    }

    /// Reads every row.
    func all<Row>(_ values: Value..., read: (Statement) -> Row) throws(DatabaseError) -> [Row] {
        bind(values)
        defer { reset() }
        var rows: [Row] = []
        while try step() { rows.append(read(self)) }
        return rows
    }

    /// Reads rows until `isLast` returns true.
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
                    // A null address would bind NULL, but an empty value is not an absent one.
                    if let base = bytes.baseAddress, bytes.count > 0 {
                        _ = sqlite3_bind_blob64(handle, index, base, UInt64(bytes.count), Self.copied)
                    } else {
                        _ = sqlite3_bind_zeroblob(handle, index, 0)
                    }
                }
            }
        }
    }

    /// `SQLITE_TRANSIENT`, a macro Swift cannot import: SQLite copies what is bound.
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
