/// Something the model may use to find its answer.
public enum LiveTool: Sendable, Hashable {
    /// A function of the app, which the model calls by ``LiveEvent/toolCall(_:)``.
    case function(LiveFunction)
    /// The service's own search.
    case search
    /// The service runs code that the model writes.
    case codeExecution
    /// The service reads addresses that are named in the conversation.
    case urlContext
}

/// A function that the model may call.
public struct LiveFunction: Sendable, Hashable {
    /// What it is called by: letters, digits, underscores, dots and dashes, at most 64.
    public var name: String
    /// What it does and when to call it, for the model.
    public var description: String
    /// Its parameters as a JSON Schema, in JSON text; `nil` for none.
    public var parameters: String?
    /// Whether the model waits for the answer before it goes on.
    public var isBlocking: Bool

    /// Makes a declaration.
    public init(_ name: String, description: String, parameters: String? = nil, isBlocking: Bool = true) {
        self.name = name
        self.description = description
        self.parameters = parameters
        self.isBlocking = isBlocking
    }
}

/// A call of a function by the model.
public struct LiveToolCall: Sendable, Hashable {
    /// Names the call in its answer and cancellation.
    public var id: String
    /// The function's name.
    public var name: String
    /// The arguments: JSON text of an object, its keys in order.
    public var arguments: String

    /// Makes a call.
    public init(id: String, name: String, arguments: String = "{}") {
        self.id = id
        self.name = name
        self.arguments = arguments
    }
}

/// The answer to a call.
public struct LiveToolResponse: Sendable, Hashable {
    /// When the model hears an answer to a call that it does not wait for.
    public enum Scheduling: String, Sendable, Hashable, CaseIterable {
        /// It takes note and says nothing.
        case silent = "SILENT"
        /// When it has finished what it says.
        case whenIdle = "WHEN_IDLE"
        /// At once.
        case interrupt = "INTERRUPT"
    }

    /// The call that is answered.
    public var id: String
    /// The function's name.
    public var name: String
    /// The result: JSON text of an object, with `output` or `error` by custom.
    public var response: String
    /// For functions that do not block; `nil` for the service's own way.
    public var scheduling: Scheduling?
    /// Whether further answers to the same call follow; for functions that do not block.
    public var continues: Bool

    /// Makes an answer.
    public init(
        id: String,
        name: String,
        response: String,
        scheduling: Scheduling? = nil,
        continues: Bool = false
    ) {
        self.id = id
        self.name = name
        self.response = response
        self.scheduling = scheduling
        self.continues = continues
    }

    /// Makes the answer to a call.
    public init(
        to call: LiveToolCall,
        response: String,
        scheduling: Scheduling? = nil,
        continues: Bool = false
    ) {
        self.init(
            id: call.id,
            name: call.name,
            response: response,
            scheduling: scheduling,
            continues: continues
        )
    }
}
