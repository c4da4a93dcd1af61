/// Something the model may use to find its answer.
public enum LiveTool: Sendable, Hashable {
    /// A function of the app, which the model calls by ``LiveEvent/toolCall(_:)``, and whether it waits for the answer before it
    /// goes on.
    case function(FunctionDeclaration, isBlocking: Bool = true)
    /// The service's own search.
    case search
    /// The service runs code that the model writes.
    case codeExecution
    /// The service reads addresses that are named in the conversation.
    case urlContext
}

/// A call of a function by the model.
public struct LiveToolCall: Sendable, Hashable {
    /// Names the call in its answer and cancellation.
    public var id: String
    /// The function's name.
    public var name: String
    /// The arguments by name.
    public var arguments: [String: StructuredValue]

    /// Makes a call.
    public init(id: String, name: String, arguments: [String: StructuredValue] = [:]) {
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
        case silent
        /// When it has finished what it says.
        case whenIdle
        /// At once.
        case interrupt
    }

    /// The call that is answered.
    public var id: String
    /// The function's name.
    public var name: String
    /// What it has returned, by name; `output` or `error` by custom.
    public var values: [String: StructuredValue]
    /// For functions that do not block; `nil` for the service's own way.
    public var scheduling: Scheduling?
    /// Whether further answers to the same call follow; for functions that do not block.
    public var continues: Bool

    /// Makes an answer.
    public init(
        id: String,
        name: String,
        values: [String: StructuredValue],
        scheduling: Scheduling? = nil,
        continues: Bool = false
    ) {
        self.id = id
        self.name = name
        self.values = values
        self.scheduling = scheduling
        self.continues = continues
    }

    /// Makes the answer to a call.
    public init(
        to call: LiveToolCall,
        values: [String: StructuredValue],
        scheduling: Scheduling? = nil,
        continues: Bool = false
    ) {
        self.init(
            id: call.id,
            name: call.name,
            values: values,
            scheduling: scheduling,
            continues: continues
        )
    }
}
