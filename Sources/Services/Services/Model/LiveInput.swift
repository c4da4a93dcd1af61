/// What is put to a live model.
///
/// Video, sound and words are streams of their own: the service promises no order between them.
public enum LiveInput: Sendable, Hashable {
    /// A still picture, a whole JPEG file, as part of the running video; the service looks at one a second at most.
    ///
    /// Pictures alone do not make the model speak: only words or sound do.
    case frame([UInt8])
    /// Words, which the model answers at once; they cut a running answer short.
    case text(String)
    /// A piece of the running sound.
    case audio(LiveAudio)
    /// The microphone was turned off: what was heard so far is taken as it is.
    ///
    /// To be sent when sound pauses for more than a second; only for ``LiveActivityDetection/automatic(_:)``.
    case audioStreamEnd
    /// The user begins to speak or act; only for ``LiveActivityDetection/manual``. Cuts a running answer short.
    case activityStart
    /// The user has done; the model answers.
    case activityEnd
    /// Turns of the conversation, in order; cuts a running answer short.
    ///
    /// With `isComplete` the model answers, and otherwise waits for more. Some models take turns only as the history of a
    /// session's configuration and close with 1007 here.
    case turns([LiveTurn], isComplete: Bool)
    /// Answers to calls of tools.
    case toolResponses([LiveToolResponse])
    /// New standing instructions, new tools or both in the place of those of the configuration, for all that comes after; what is
    /// `nil` stays as it is, and an empty list takes all tools away.
    ///
    /// Not every service has it. One of both at least has to be given.
    case contextUpdate(instructions: String? = nil, tools: [LiveTool]? = nil)
}

/// One turn of a conversation.
public struct LiveTurn: Sendable, Hashable {
    /// Whose turn it was.
    public enum Role: String, Sendable, Hashable {
        case user
        case model
    }

    /// A piece of a turn.
    public enum Part: Sendable, Hashable {
        case text(String)
        /// A whole JPEG file.
        case jpeg([UInt8])
    }

    /// Whose turn it was.
    public var role: Role
    /// Its pieces, in order.
    public var parts: [Part]

    /// Makes a turn of pieces.
    public init(_ role: Role, _ parts: [Part]) {
        self.role = role
        self.parts = parts
    }

    /// Makes a turn of words.
    public init(_ role: Role, text: String) { self.init(role, [.text(text)]) }
}
