public import Services

/// A live model made of a chat model: a session is a conversation, and each turn a request with what was said and the newest picture.
///
/// For services that answer requests and have no connection that stays. Pictures are taken in silence, and the newest goes with the next
/// words; new words cut a running answer short. Sound, functions and handles are refused.
public struct WatchingModel: LiveModel {
    private let model: any ChatModel

    /// Makes a live model.
    ///
    /// - Parameter model: Answers the turns; one that takes pictures, where there are any.
    public init(_ model: any ChatModel) { self.model = model }

    /// Asks for the shortest answer there is, which tells whether the service accepts key and model.
    public func startSession(_ configuration: LiveConfiguration) async throws(LiveModelError)
        -> any LiveSession
    {
        guard configuration.answer == .text, configuration.tools.isEmpty, configuration.resumption == nil
        else {
            throw .refused("it answers in writing, without tools and handles")
        }
        var trial = ChatRequest(model: configuration.model, contents: [.user("Hello")])
        trial.settings.longestAnswer = 1
        do throws(ChatModelError) { _ = try await model.generate(trial) } catch {
            throw LiveModelError(error, "open session")
        }
        return WatchingSession(model, configuration)
    }
}

extension LiveModelError {
    /// What an error of a request means to a session.
    init(_ error: ChatModelError, _ operation: String) {
        let code: Code =
            switch error.code {
            case .missingKey: .missingKey
            case .invalidKey: .invalidKey
            case .quotaExceeded: .quotaExceeded
            case .rejected, .notFound, .tooLarge, .fileNotReady, .fileUnavailable: .rejected
            case .unavailable, .malformed, .interrupted: .unavailable
            case .unreachable, .untrusted: .unreachable
            case .timedOut: .timedOut
            case .cancelled: .cancelled
            }
        self.init(
            code,
            operation: operation,
            peer: error.peer,
            detail: error.detail,
            retryAfter: error.retryAfter
        )
    }

    static func refused(_ detail: String) -> LiveModelError {
        LiveModelError(.rejected, operation: "use a watching model", peer: "session", detail: detail)
    }
}
