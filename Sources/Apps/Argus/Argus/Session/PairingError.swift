public import Foundation

/// Why this device was not paired, where that is not the network's doing.
public enum PairingError: LocalizedError, Sendable, Hashable {
    /// The code is wrong, used, or too old.
    case invalidCode
    /// The hub takes no more codes for a time.
    case tooManyTries(wait: Duration?)
    /// The hub gives no more codes for a time.
    case tooManyCodes(wait: Duration?)
    /// The code that was shown has ended unconfirmed, or a person has refused it.
    case codeEnded
    /// This device cannot keep its name or its session.
    case notKept

    /// What to tell the person.
    public var errorDescription: String? {
        switch self {
        case .invalidCode: "Invalid Code"
        case .tooManyTries(let wait): "Too many wrong codes. \(Self.again(after: wait))"
        case .tooManyCodes(let wait): "Your hub has given too many codes. \(Self.again(after: wait))"
        case .codeEnded: "The code cannot be used any more. Ask for another one."
        case .notKept: "This device cannot keep the pairing. Make room on it, and try again."
        }
    }

    private static func again(after wait: Duration?) -> String {
        wait.map { "Try again in \($0.components.seconds) seconds." } ?? "Try again in a while."
    }

    /// Whether a text can be a code: six digits of ASCII, zeros at the front included.
    public static func isCode(_ text: String) -> Bool {
        text.utf8.count == 6 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
