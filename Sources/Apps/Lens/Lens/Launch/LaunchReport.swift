/// What a launch has done and found.
public struct LaunchReport: Sendable, Hashable {
    /// The steps of a launch, in their order.
    public enum Step: String, Sendable, Hashable, CaseIterable, Codable {
        /// Skipped unless the camera of the network is chosen.
        case deviceEnginePrepared
        case permissionsChecked, keyLoaded, documentsPrepared, cameraSourceRestored, historyLoaded
        case deletionsFinished, filesAdopted, galleryRestored, uploadsRestored, uploadsStarted
        /// From here on screens show the app.
        case navigationShown
    }

    /// How a step ended.
    public enum Outcome: Sendable, Hashable {
        case done
        /// Did not do all of its work, for this reason; the later steps have run nevertheless.
        case failed(String)
        /// Was not needed.
        case skipped
    }

    /// The steps in the order in which they ran.
    public private(set) var steps: [Step] = []
    /// How each step ended.
    public private(set) var outcomes: [Step: Outcome] = [:]
    /// What the user has allowed.
    public internal(set) var permissions: PermissionStates = PermissionStates()
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
    /// What is wrong with stored rows that were left out; their step is done.
    public internal(set) var damages: [String] = []

    /// What went wrong; the launch has gone on nevertheless.
    public var problems: [String] {
        steps.compactMap { if case .failed(let reason)? = outcomes[$0] { reason } else { nil } } + damages
    }

    mutating func note(_ step: Step, _ outcome: Outcome) {
        steps.append(step)
        outcomes[step] = outcome
    }
}
