/// Why a code of a camera cannot be read or made; without what stands in it.
public enum CodeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The bytes are not text of UTF-8.
    case notText
    /// It has more bytes than such a code may have.
    case tooLong(bytes: Int)
    /// It is not an object of JSON with texts and whole numbers.
    case notAnObject
    /// A field that must be there is not.
    case missing(field: String)
    /// A field has a value that it cannot have, for this reason.
    case invalid(field: String, reason: String)

    /// What is wrong.
    public var description: String {
        switch self {
        case .notText: "the code is not text"
        case .tooLong(let bytes): "the code has \(bytes) bytes, and at most \(CodeObject.mostBytes) are read"
        case .notAnObject: "the code is not an object of JSON"
        case .missing(let field): "the code has no field “\(field)”"
        case .invalid(let field, let reason): "the field “\(field)” \(reason)"
        }
    }
}
