import HTTPTypes
import PeerKit

/// A request that has found its call, with its whole body.
struct NovaVisit: Sendable {
    let call: NovaCall
    /// The segments of the path that the call leaves open.
    let values: [String: String]
    let request: HTTPRequest
    let target: RequestTarget
    let body: [UInt8]
    /// Counts the service's requests from 1.
    let number: Int

    /// The thing that the call is about.
    var id: String { values["id"] ?? "" }

    /// Where the client reaches the service, such as `http://nova:8080`.
    var base: String { "\(request.scheme ?? "http")://\(request.authority ?? "")" }

    /// The key of the request without quotes; `nil` where it has none.
    ///
    /// A header field with a structured text has quotes, and is the same key (draft-ietf-httpapi-idempotency-key-header-07 section 2.1).
    ///
    /// - Throws: 400 for a key that is none, or where there must be one.
    func idempotencyKey() throws(NovaRefusal) -> String? {
        guard let field = request.headerFields.value("Idempotency-Key"), call.key != .none else {
            if call.key == .required { throw .field("Idempotency-Key", "is missing") }
            return nil
        }
        let isQuoted = field.count > 1 && field.hasPrefix("\"") && field.hasSuffix("\"")
        let key = isQuoted ? String(field.dropFirst().dropLast()) : field
        let isPlain = key.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }
        guard (1...255).contains(key.utf8.count), isPlain else {
            throw .field("Idempotency-Key", "must have 1 to 255 visible characters")
        }
        return key
    }

    /// The body as a JSON document.
    ///
    /// - Throws: 415 where it says that it is something else, 400 where it is none.
    func json() throws(NovaRefusal) -> JSONValue {
        guard !body.isEmpty else { throw .field("body", "is missing") }
        let type = request.headerFields[.contentType].flatMap { MediaType($0) }
        guard type?.essence == "application/json" else { throw .mediaType("application/json") }
        guard let json = try? JSONValue(json: body, depth: 8) else {
            throw .field("body", "is no JSON document")
        }
        return json
    }

    /// The fields of a JSON object.
    func fields() throws(NovaRefusal) -> NovaFields {
        guard let members = try json().object else { throw .field("body", "must be an object") }
        return NovaFields(members)
    }

    /// Refuses a body that is neither empty nor an object.
    func noFields() throws(NovaRefusal) { if !body.isEmpty { _ = try fields() } }

    /// The part of a list that is asked for.
    func page() throws(NovaRefusal) -> NovaPage {
        var problems: [String: String] = [:]
        let number = Self.number(target["page"] ?? "0")
        if number == nil { problems["page"] = "must be a whole number from 0 on" }
        let limit = Self.number(target["limit"] ?? "20").flatMap { $0 > 0 ? $0 : nil }
        if limit == nil { problems["limit"] = "must be a whole number from 1 on" }
        guard let number, let limit else { throw .fields(problems) }
        return NovaPage(number: number, size: min(limit, NovaPage.largest))
    }

    /// A whole number in digits; one that is too large for a number is a large one.
    private static func number(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text) ?? .max
    }
}

/// A part of a list, by an offset into it as it is now.
struct NovaPage: Sendable {
    static let largest = 50

    let number: Int
    let size: Int

    /// The elements of the page, and whether some come after them.
    func cut<Elements: RandomAccessCollection>(_ all: Elements) -> (Elements.SubSequence, hasMore: Bool) {
        let (start, overflows) = number.multipliedReportingOverflow(by: size)
        guard !overflows, start < all.count else { return (all.suffix(0), false) }
        let rest = all.dropFirst(start)
        return (rest.prefix(size), rest.count > size)
    }
}
