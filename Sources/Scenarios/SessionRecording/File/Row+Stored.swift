import Foundation
import GRDB

/// A value in a session that no writer of ours has written.
struct UnusableValue: Error, CustomStringConvertible {
    var column: String
    var wanted: String

    var description: String { "a row's column \(column) does not hold \(wanted)" }
}

/// Columns of a file from elsewhere, by what is stored in them: SQLite keeps any kind of value in any column, and
/// GRDB's own subscript ends the process at one that it cannot convert.
extension Row {
    func integer(_ column: String, in range: ClosedRange<Int64>) throws(UnusableValue) -> Int64 {
        guard let value = try optionalInteger(column, in: range) else {
            throw UnusableValue(column: column, wanted: "a number")
        }
        return value
    }

    func optionalInteger(_ column: String, in range: ClosedRange<Int64>) throws(UnusableValue) -> Int64? {
        switch stored(column) {
        case .null: return nil
        case .int64(let value) where range.contains(value): return value
        default:
            throw UnusableValue(
                column: column,
                wanted: "a whole number of \(range.lowerBound) to \(range.upperBound)"
            )
        }
    }

    func text(_ column: String) throws(UnusableValue) -> String {
        guard let value = try optionalText(column) else {
            throw UnusableValue(column: column, wanted: "text")
        }
        return value
    }

    func optionalText(_ column: String) throws(UnusableValue) -> String? {
        switch stored(column) {
        case .null: return nil
        case .string(let value): return value
        default: throw UnusableValue(column: column, wanted: "text")
        }
    }

    func bytes(_ column: String) throws(UnusableValue) -> [UInt8] {
        guard case .blob(let value) = stored(column) else {
            throw UnusableValue(column: column, wanted: "bytes")
        }
        return Array(value)
    }

    private func stored(_ column: String) -> DatabaseValue.Storage {
        let value: DatabaseValue = self[column]
        return value.storage
    }
}
