/// An error whose backend says what it means to the person who uses an app.
///
/// An app knows the errors of its services; of those that only one backend has, it shows the explanation.
public protocol ExplainedError: Error {
    /// What it means, without addresses, paths and numbers of errors.
    var explanation: ErrorExplanation { get }
}

/// What an error means to people.
public struct ErrorExplanation: Sendable, Hashable {
    /// What is wrong, as a sentence.
    public var text: String
    /// What to do about it; `nil` where there is nothing to do.
    public var advice: String?
    /// Whether the same attempt can succeed another time.
    public var mayPass: Bool

    /// Makes a value of its parts.
    public init(_ text: String, _ advice: String? = nil, mayPass: Bool = true) {
        (self.text, self.advice, self.mayPass) = (text, advice, mayPass)
    }
}
