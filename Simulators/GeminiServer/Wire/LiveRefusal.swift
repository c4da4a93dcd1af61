import PeerKit
import Transport

/// How the service refuses a Live client: with a close frame.
struct LiveRefusal: Error {
    let close: WebSocketClose

    /// Makes a refusal; the reason is cut to what fits.
    init(_ code: UInt16, _ reason: String) {
        close = WebSocketClose(code: code, reason: WebSocketClose.beginning(of: reason))
    }

    static let invalidArgument = LiveRefusal(1007, "Request contains an invalid argument.")
    static let notJSON = LiveRefusal(1007, "Invalid JSON payload received. Unexpected token.")
    static let invalidKey = LiveRefusal(1007, Credentials.invalidText)
    static let expiredKey = LiveRefusal(1007, Credentials.expiredText)
    static let missingKey = LiveRefusal(1008, Credentials.missingText)
    static let unknownSession = LiveRefusal(1008, "BidiGenerateContent session not found")
    static let unavailable = LiveRefusal(1011, "The service is currently unavailable.")
    static let deadline = LiveRefusal(1011, "Deadline expired before operation could complete.")
    static let cancelled = LiveRefusal(1000, "The operation was cancelled.")

    static func unknownModel(_ name: String, version: String) -> LiveRefusal {
        LiveRefusal(1008, GeminiModel.unknownText(name, version: version, method: "bidiGenerateContent"))
    }
}

// MARK: Messages that are not taken

extension LiveRefusal {
    /// The close for an error in the middle of a session; see ``GeminiFailure``.
    init(_ failure: GeminiFailure) {
        let code: UInt16 =
            switch failure.code {
            case 400: 1007
            case 499: 1000
            case 501: 1008
            case 429, 500...: 1011
            default: 1008
            }
        self.init(code, failure.message)
    }

    /// The close for what REST refuses, in its words; that the service does so is not confirmed.
    init(reading failure: GeminiFailure) {
        self.init(1007, failure.message.split(separator: "\n").joined(separator: " "))
    }

    /// The close with which the service refuses a message.
    init(_ mismatch: ShapeMismatch) { self.init(1007, mismatch.text) }
}
