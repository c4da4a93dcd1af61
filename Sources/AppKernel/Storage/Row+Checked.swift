package import GRDB

extension Row {
    /// The value of a column that holds one.
    ///
    /// GRDB's own subscript ends the process where the value is NULL or of another type, as in a database that a failing
    /// disk has damaged.
    ///
    /// - Throws: A `DatabaseError` with `SQLITE_CORRUPT` that names the column.
    package func checked<Value: DatabaseValueConvertible>(_ column: String) throws -> Value {
        let stored: DatabaseValue = self[column]
        guard let value = Value.fromDatabaseValue(stored) else {
            throw DatabaseError(
                resultCode: .SQLITE_CORRUPT,
                message: "the column \(column) holds no usable value"
            )
        }
        return value
    }
}
