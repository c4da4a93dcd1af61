import AppKernel

/// A note, and whether the service has it.
public struct Note: Codable, Hashable, Sendable, Identifiable {
    /// Where a note stands.
    public enum Status: String, Codable, Sendable {
        /// It is kept here, and is sent as soon as that is possible.
        case waiting
        /// The service has it.
        case sent
        /// It could not be sent, and is tried again when somebody asks for it.
        case failed
    }

    /// Its number, in the order of writing.
    public let id: Int
    /// What it says.
    public let text: String
    /// Where it stands.
    public let status: Status
}

/// A note on its way to the service.
struct Draft: OutboxWork {
    /// What the service answers.
    struct Receipt: Codable, Sendable {
        let id: Int
    }

    let id: Int
    let text: String
}
