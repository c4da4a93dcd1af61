import Foundation
import PeerKit

/// The order of a listing in pages.
struct ListOrder: Sendable, Hashable {
    enum Column: String, Sendable, CaseIterable {
        case name
        case updated = "updated_at"
        case created = "created_at"
    }

    var column = Column.name
    var isDescending = false

    /// The order of names, which lists have without a word about it.
    static let names = ListOrder()

    /// Where a line stands.
    ///
    /// Its date has the text form of rows, which sorts as time does, and is empty in the order of names. Equal dates follow their names.
    struct Place: Sendable, Hashable {
        var date: String
        var name: String

        func precedes(_ other: Place) -> Bool {
            date == other.date ? name < other.name : date < other.date
        }
    }

    init() {}

    /// Reads `sortBy` of a request.
    ///
    /// Source: supabase/storage `src/http/routes/object/listObjectsV2.ts`.
    init(_ value: JSONValue?) throws(StorageFailure) {
        guard let value, !value.isNull else { return }
        guard let options = value.object else { throw .validator("body/sortBy must be object") }
        guard let word = options["column"] else {
            throw .validator("body/sortBy must have required property 'column'")
        }
        guard let column = word.string.flatMap({ Column(rawValue: $0) }) else {
            throw .validator("body/sortBy/column must be equal to one of the allowed values")
        }
        self.column = column
        guard let order = options["order"] else { return }
        guard let text = order.string, ["asc", "desc"].contains(text) else {
            throw .validator("body/sortBy/order must be equal to one of the allowed values")
        }
        isDescending = text == "desc"
    }

    func place(_ row: StoredObject.Row, as name: String) -> Place {
        switch column {
        case .name: Place(date: "", name: name)
        case .updated: Place(date: StorageNames.date(row.updatedAt), name: name)
        case .created: Place(date: StorageNames.date(row.createdAt), name: name)
        }
    }

    /// Whether one comes before another in this order.
    func precedes(_ first: Place, _ second: Place) -> Bool {
        isDescending ? second.precedes(first) : first.precedes(second)
    }

    // MARK: Cursors

    /// What a client sends for the page after a place.
    ///
    /// In the order of names it is the name, otherwise lines of a letter and a value; clients do not look into it.
    func cursor(after place: Place) -> String {
        if self == .names { return Data(place.name.utf8).base64EncodedString() }
        let order = isDescending ? "desc" : "asc"
        let text =
            "l:\(place.name)\no:\(order)\nc:\(column.rawValue)"
            + (place.date.isEmpty ? "" : "\na:\(place.date)")
        return Data(text.utf8).base64EncodedString()
    }

    /// The place that a cursor of this order stands for.
    func place(of cursor: String) throws(StorageFailure) -> Place {
        guard let bytes = Data(base64Encoded: cursor), let text = String(validating: bytes, as: UTF8.self)
        else {
            throw .invalidRequest("invalid cursor")
        }
        if self == .names { return Place(date: "", name: text) }
        var values: [Character: String] = [:]
        for line in text.split(separator: "\n") where line.dropFirst().first == ":" {
            values[line[line.startIndex]] = String(line.dropFirst(2))
        }
        guard let name = values["l"], values["c"] == column.rawValue,
            values["o"] == (isDescending ? "desc" : "asc")
        else { throw .invalidRequest("invalid cursor") }
        return Place(date: values["a"] ?? "", name: name)
    }
}
