/// What a launch has done and found.
public struct LaunchReport: Sendable, Hashable {
    /// The steps of a launch, in their order.
    public enum Step: String, Sendable, Hashable, CaseIterable {
        case documentsPrepared, keyLoaded, cameraSourceRestored, historyLoaded, uploadsRestored,
            uploadsStarted
    }

    /// The steps in the order in which they ran.
    public internal(set) var steps: [Step] = []
    /// Whether a key for the model is kept.
    public internal(set) var hasModelKey: Bool = false
    /// The camera that was restored.
    public internal(set) var cameraSource: CameraSourceType = .local
    /// Messages of the history.
    public internal(set) var messages: Int = 0
    /// Stored messages that could not be understood.
    public internal(set) var unreadableMessages: Int = 0
    /// Files that a crash had left without a note.
    public internal(set) var adoptedFiles: Int = 0
    /// Uploads in the queue.
    public internal(set) var queuedUploads: Int = 0
    /// What went wrong; the launch goes on nevertheless.
    public internal(set) var problems: [String] = []
}
