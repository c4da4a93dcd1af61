public import GRDB

extension Row {
    /// The value of a column that holds one.
    ///
    /// GRDB's own subscript ends the process where the value is NULL or of another type, as in a database that a failing
    /// disk has damaged.
    ///
    /// - Throws: A `DatabaseError` with `SQLITE_CORRUPT` that names the column.
    public func checked<Value: DatabaseValueConvertible>(_ column: String) throws -> Value {
        guard let value: Value = try checkedOptional(column) else { throw Self.unusable(column) }
        return value
    }

    /// The value of a column that may be NULL.
    ///
    /// - Throws: As ``checked(_:)``, for a value of another type.
    public func checkedOptional<Value: DatabaseValueConvertible>(_ column: String) throws -> Value? {
        try Self.checked(self[column], of: column)
    }

    /// A value of a column, `nil` for NULL.
    ///
    /// - Parameters:
    ///   - stored: The value.
    ///   - column: The name of the column, for the error.
    /// - Throws: As ``checked(_:)``, for a value of another type.
    static func checked<Value: DatabaseValueConvertible>(
        _ stored: DatabaseValue,
        of column: @autoclosure () -> String
    ) throws -> Value? {
        if stored.isNull { return nil }
        guard let value = Value.fromDatabaseValue(stored) else { throw unusable(column()) }
        return value
    }

    static func unusable(_ column: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the column \(column) holds no usable value")
    }
}
