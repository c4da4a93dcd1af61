/// What one side says at once.
public struct ChatContent: Sendable, Hashable {
    /// Who speaks.
    public enum Role: String, Sendable, Hashable, CaseIterable {
        case user, model
    }

    /// Who speaks.
    public var role: Role
    /// What is said, in order.
    public var parts: [ChatPart]

    /// Makes a content.
    public init(_ role: Role, _ parts: [ChatPart]) {
        self.role = role
        self.parts = parts
    }

    /// A text of the user.
    public static func user(_ text: String) -> ChatContent { ChatContent(.user, [.text(text)]) }

    /// A text of the model.
    public static func model(_ text: String) -> ChatContent { ChatContent(.model, [.text(text)]) }
}

/// A piece of what is said.
public enum ChatPart: Sendable, Hashable {
    /// Words.
    case text(String)
    /// A picture, sound or document that travels with the request.
    case inline(mediaType: String, [UInt8])
    /// A file that the service keeps, by its address there.
    case file(uri: String, mediaType: String)
    /// The model asks its caller to run a function.
    case functionCall(FunctionCall)
    /// The caller tells what a function has returned.
    case functionResult(FunctionResult)
}

/// What the model asks its caller to run.
public struct FunctionCall: Sendable, Hashable {
    /// Ties the result to the call; `nil` where the service gives none.
    public var id: String?
    /// One of the declared functions, though a model may invent others.
    public var name: String
    /// The arguments by name.
    public var arguments: [String: StructuredValue]
    /// What the service wants back unchanged with the call; opaque.
    public var signature: String?

    /// Makes a call.
    public init(
        id: String? = nil,
        name: String,
        arguments: [String: StructuredValue] = [:],
        signature: String? = nil
    ) {
        self.id = id
        self.name = name
        self.arguments = arguments
        self.signature = signature
    }
}

/// What a function has returned.
public struct FunctionResult: Sendable, Hashable {
    /// The id of the call; `nil` where it had none.
    public var id: String?
    /// The name of the function.
    public var name: String
    /// What it has returned, by name.
    public var values: [String: StructuredValue]

    /// Makes a result.
    public init(id: String? = nil, name: String, values: [String: StructuredValue]) {
        self.id = id
        self.name = name
        self.values = values
    }
}
