/// Something that a demonstration shows while it runs.
public enum DemoEvent: Sendable {
    /// The app is up.
    case launched(queuedUploads: Int, messages: Int, problems: [String])
    /// The first session is open.
    case streaming
    /// More text of the assistant.
    case text(String)
    /// The assistant's turn is complete.
    case turnEnded
    /// A photo was taken.
    case photo(name: String)
    /// The user asks aloud.
    case asking
    /// What was understood of it, and said to the assistant; empty when nothing was.
    case heard(String)
    /// Uploads are awaited.
    case awaitingUploads(Int)
}
