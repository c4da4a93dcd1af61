public import SessionRecording

/// What a replay found.
public struct ReplayReport: Sendable {
    /// How many messages, looks at the camera and events were compared.
    public var compared: Int
    /// The first difference; `nil` when all was the same.
    public var firstDifference: Difference?
    /// How the recording and the replay ended; `nil` when they ended in the same way.
    public var endings: (recorded: String, replayed: String)?
    /// The hash of the recording and of the replay, for sessions that were simulated.
    public var hashes: (recorded: UInt64, replayed: UInt64)?
    /// Virtual time that was replayed, in seconds.
    public var seconds: Double
    /// The recording stopped before its end, because its process was killed.
    public var recordingIsIncomplete: Bool

    /// Whether everything was the same.
    public var isSame: Bool {
        firstDifference == nil && endings == nil && hashes.map { $0.recorded == $0.replayed } ?? true
    }
}

/// Why a session cannot be replayed.
public enum ReplayError: Error, Sendable, CustomStringConvertible {
    /// The scenario is not one of this program's.
    case unknownScenario(String)

    /// What is wrong.
    public var description: String {
        switch self {
        case .unknownScenario(let name): "this lenssim knows no scenario “\(name)”"
        }
    }
}

extension SessionReader {
    /// Runs the session's code again on what was recorded, in the simulation, and compares.
    ///
    /// A program that no longer fails as it did, or fails now, is a difference, and no error.
    ///
    /// - Parameter until: Virtual time after which the replay ends; `nil` for the whole session.
    /// - Throws: ``ReplayError``, ``SessionError``.
    public func replay(until: Duration? = nil) throws -> ReplayReport {
        switch manifest.fidelity {
        case .simulated: try replaySimulated(until: until)
        case .loopback: try replayLoopback(until: until)
        }
    }

    /// How recording and replay ended, where that differs.
    ///
    /// - Parameters:
    ///   - failure: What went wrong in the replay; `nil` when nothing did.
    ///   - wasCut: Whether the replay was ended before its time.
    func endings(failure: String?, wasCut: Bool) -> (recorded: String, replayed: String)? {
        let recorded = outcome?.failure
        guard failure != recorded else { return nil }
        if failure == nil, wasCut || outcome == nil { return nil }
        let quiet = wasCut || outcome == nil ? "went on" : "succeeded"
        return (
            recorded: recorded.map { "failed: \($0)" } ?? quiet,
            replayed: failure.map { "failed: \($0)" } ?? "succeeded"
        )
    }
}
