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
    /// Where the recording was cut off, in seconds since its start, because its process was killed; `nil` for a whole one, and where the replay ended before.
    public var cutOffAt: Double?
    /// What the program does after that, as far as it was run on and without any answer to it; oldest first.
    public var next: [Difference]

    /// Whether everything was the same, of a recording that was cut off up to there.
    public var isSame: Bool {
        firstDifference == nil && endings == nil && hashes.map { $0.recorded == $0.replayed } ?? true
    }
}

/// Why a session cannot be replayed.
public enum ReplayError: Error, Sendable, CustomStringConvertible {
    /// The scenario is not one of this program's.
    case unknownScenario(String)
    /// The scenario had a setting that it does not have in this program.
    case unknownSetting(path: String, SettingError)
    /// Its answers are in no other order than they were, since datagrams are no answers.
    case datagrams(path: String)
    /// The recording has the last part of a session alone, and an app runs from its start.
    case withoutBeginning(path: String, kept: KeptPart)
    /// What the app saw is not in the recording, and what it sends depends on it.
    case withoutPictures(path: String, kept: Retention.Pictures)

    /// What is wrong.
    public var description: String {
        switch self {
        case .unknownScenario(let name): "this lenssim knows no scenario “\(name)”"
        case .unknownSetting(let path, let error):
            "\(path) was recorded with other settings than this lenssim knows: \(error)"
        case .datagrams(let path):
            "\(path) has datagrams, such as those of a Wi-Fi camera, and a search cannot begin with it: lenssim replay runs it as it was"
        case .withoutBeginning(let path, let kept):
            "\(path) cannot be run again: it has \(kept), and an app runs from its start. "
                + "lenssim inspect and lenssim export show what it has, and so does the page of an app that has --replay"
        case .withoutPictures(let path, let kept):
            "\(path) cannot be run again: of what the camera showed it has \(kept.rawValue) alone, and what an app sends depends on "
                + "the pictures; those that were recorded with --keep frames can. "
                + "lenssim inspect and lenssim export show what it has, and so does the page of an app that has --replay"
        }
    }
}

extension SessionReader {
    /// Runs the session's code again on what was recorded, in the simulation, and compares.
    ///
    /// A program that no longer fails as it did, or fails now, is a difference, and no error.
    ///
    /// - Parameters:
    ///   - catalogue: What has the session's code.
    ///   - until: Virtual time after which the replay ends; `nil` for the whole session.
    ///   - further: For how long the program runs on where a recording over real sockets was cut off, so that ``ReplayReport/next`` says what it does.
    /// - Throws: ``ReplayError``, ``SessionError``.
    public func replay(
        with catalogue: ScenarioCatalogue,
        until: Duration? = nil,
        further: Duration = .zero
    ) throws -> ReplayReport {
        try checkInputs()
        switch manifest.fidelity {
        case .simulated: return try replaySimulated(try scenario(in: catalogue), until: until)
        case .loopback:
            guard let program = catalogue.program(named: manifest.scenario) else {
                throw ReplayError.unknownScenario(manifest.scenario)
            }
            return try replayLoopback(program, until: until, further: further)
        }
    }

    /// Refuses a recording whose beginning was dropped, or whose pictures are not those that the app saw.
    ///
    /// - Throws: ``ReplayError``, `SessionError`.
    func checkInputs() throws {
        guard pictures == .frames else { throw ReplayError.withoutPictures(path: path, kept: pictures) }
        guard let kept = try keptPart() else { return }
        throw ReplayError.withoutBeginning(path: path, kept: kept)
    }

    /// The scenario of a simulated session, with its recorded settings.
    ///
    /// - Throws: ``ReplayError``; ``SessionError/damaged(path:detail:)`` when no run could have had the settings.
    public func scenario(in catalogue: ScenarioCatalogue) throws -> any Scenario {
        guard let scenario = catalogue.scenario(named: manifest.scenario) else {
            throw ReplayError.unknownScenario(manifest.scenario)
        }
        return try configured(scenario, by: manifest.parameters)
    }

    /// Makes a value with recorded settings.
    ///
    /// - Throws: ``ReplayError``; ``SessionError/damaged(path:detail:)`` when no run could have had the settings.
    public func configured<Owner: Configurable>(
        _ type: Owner.Type = Owner.self,
        by recorded: [String: String]
    ) throws -> Owner {
        do {
            return try Owner(settings: Owner.current(recorded))
        } catch {
            switch error {
            case .unknown: throw ReplayError.unknownSetting(path: path, error)
            case .impossible: throw SessionError.damaged(path: path, detail: "\(error)")
            }
        }
    }

    /// How recording and replay ended, where that differs.
    ///
    /// - Parameters:
    ///   - failure: What went wrong in the replay; `nil` when nothing did.
    ///   - wasCut: Whether the replay was ended before its time.
    func endings(failure: String?, wasCut: Bool) -> (recorded: String, replayed: String)? {
        let mask = mask(of: [ReplayedSession.secret])
        let (recorded, failure) = (outcome?.failure.map(mask.masked), failure.map(mask.masked))
        guard failure != recorded else { return nil }
        if failure == nil, wasCut || outcome == nil { return nil }
        let quiet = wasCut || outcome == nil ? "went on" : "succeeded"
        return (
            recorded: recorded.map { "failed: \($0)" } ?? quiet,
            replayed: failure.map { "failed: \($0)" } ?? "succeeded"
        )
    }
}
