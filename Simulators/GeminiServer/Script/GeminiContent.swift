public import PeerKit

/// What one speaker has said in one turn of a conversation.
public struct GeminiContent: Sendable, Hashable {
    /// Who speaks.
    public enum Role: String, Sendable, Hashable {
        case user
        case model
    }

    /// Who speaks.
    public var role: Role
    /// The pieces, in order.
    public var parts: [GeminiPart]

    /// Makes a content.
    public init(_ role: Role, _ parts: [GeminiPart]) {
        self.role = role
        self.parts = parts
    }

    /// Its words without thoughts, a line for each part.
    public var text: String { texts.joined(separator: "\n") }

    /// Its words without thoughts, part by part.
    var texts: [String] { parts.compactMap { if case .text(let text) = $0 { text } else { nil } } }
}

/// One piece of a content, as a brain gets to see it.
public enum GeminiPart: Sendable, Hashable {
    case text(String)
    /// What the model has thought, given back by the client.
    case thought(String)
    /// A picture that was decoded; `file` names the uploaded file that it is, such as `files/abc`.
    case picture(FrameInspection, byteCount: Int, file: String?)
    /// Sound, video or a document, which is counted and not looked into.
    case media(mimeType: String, byteCount: Int, file: String?)
    case call(GeminiCall)
    case result(GeminiCallResult)
    /// Code that the service has run, or what it has printed.
    case code(String)

    /// The name of the uploaded file that the part is, such as `files/abc`.
    public var file: String? {
        switch self {
        case .picture(_, _, let file), .media(_, _, let file): file
        default: nil
        }
    }
}

/// A function that the client offers.
public struct GeminiFunction: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// What it does, for the model.
    public var description: String
    /// The schema of its arguments; Gemini's own in snake_case, or JSON Schema.
    public var parameters: JSONValue?
}

extension GeminiFunction {
    /// Whether the service takes it for a function's name.
    static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, (1...64).contains(name.utf8.count) else { return false }
        func isLetter(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        guard isLetter(first) || first == UInt8(ascii: "_") else { return false }
        let marks = "_.:-".utf8
        return name.utf8.allSatisfy {
            isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || marks.contains($0)
        }
    }
}

/// What the model wants to be called.
public struct GeminiCall: Sendable, Hashable {
    /// Tells calls of one function apart; not all models give one.
    public var id: String?
    /// The function.
    public var name: String
    /// An object.
    public var arguments: JSONValue

    /// Makes a call.
    public init(id: String? = nil, name: String, arguments: JSONValue = [:]) {
        self.id = id
        self.name = name
        self.arguments = arguments
    }
}

/// What a call has given.
public struct GeminiCallResult: Sendable, Hashable {
    /// The call's, where it had one.
    public var id: String?
    /// The function.
    public var name: String
    /// An object.
    public var response: JSONValue
}
