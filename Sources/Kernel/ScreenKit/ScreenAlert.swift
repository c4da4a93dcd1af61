/// What went wrong, written for the person who uses the app.
public struct ScreenAlert: Codable, Hashable, Sendable {
    /// What could not be done, in a few words: `The photo was not taken`.
    public var title: String
    /// What came back, in one or two sentences; without paths, addresses of files and numbers of error codes.
    public var text: String
    /// What the person can do about it; `nil` when there is nothing but to wait.
    public var advice: String?
    /// Whether the action can be repeated as it was.
    public var offersRetry: Bool

    /// Creates an alert.
    public init(title: String, text: String, advice: String? = nil, offersRetry: Bool = false) {
        self.title = title
        self.text = text
        self.advice = advice
        self.offersRetry = offersRetry
    }
}
