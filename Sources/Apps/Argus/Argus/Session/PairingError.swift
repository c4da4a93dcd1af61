public import Foundation

/// Why this device was not paired, where that is not the network's doing.
public enum PairingError: LocalizedError, Sendable, Hashable {
    /// The code is wrong, used, or too old.
    case invalidCode
    /// The hub takes no more codes for a time.
    case tooManyTries(wait: Duration?)
    /// This device cannot keep its name or its session.
    case notKept

    /// What to tell the person.
    public var errorDescription: String? {
        switch self {
        case .invalidCode: "Invalid Code"
        case .tooManyTries(let wait?):
            "Too many wrong codes. Try again in \(wait.components.seconds) seconds."
        case .tooManyTries(nil): "Too many wrong codes. Try again in a while."
        case .notKept: "This device cannot keep the pairing. Make room on it, and try again."
        }
    }

    /// Whether a text can be a code: six digits of ASCII, zeros at the front included.
    public static func isCode(_ text: String) -> Bool {
        text.utf8.count == 6 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
