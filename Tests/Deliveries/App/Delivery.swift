internal import AppKernel

/// What is delivered to a service: a file to the store, or words to the other service.
package struct Delivery: OutboxWork, Hashable {
    /// What is sent.
    package enum Content: Codable, Sendable, Hashable {
        /// A file of the media folder.
        case file(String)
        /// Words.
        case words(String)
    }

    /// What a service has answered.
    package struct Receipt: Codable, Sendable, Hashable {
        /// The address of the object; `nil` for words.
        package var address: String?
    }

    /// Why it was not delivered.
    package struct Failure: Error, Codable, Hashable, Sendable, CustomStringConvertible {
        /// The kinds of failure.
        package enum Code: String, Codable, Sendable {
            /// The service does not take it, however often it comes.
            case refused
            /// The file cannot be read.
            case fileUnreadable
            /// Somebody else's object has the key.
            case keyTaken
            /// A repetition may help.
            case unavailable
        }

        /// Which kind it is.
        package var code: Code
        /// What came back.
        package var detail: String

        /// Both on one line.
        package var description: String { "\(code.rawValue): \(detail)" }
    }

    /// The number of the wish that asked for it.
    package var number: Int
    /// What is sent.
    package var content: Content
    /// The lane, where the order matters.
    package var lane: String?
    /// The name of its policy.
    package var kind: String
}
