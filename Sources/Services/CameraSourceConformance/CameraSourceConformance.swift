public import Conformance
import Services

/// The requirements of `CameraSource`, as cases that any implementation can be run against.
///
/// What a camera shows does not matter, as long as frames come. What only its author can bring about, such as a cable that is
/// pulled, a harness lists (``HarnessCapability``): one without it leaves out the cases that need it.
/// `Documentation/CameraBackend.md` writes a camera with its harness step by step.
public enum CameraSourceConformance {
    /// One requirement.
    public typealias Case = Suite<any CameraSourceHarness>.Case

    /// All requirements.
    public static let cases: [Case] =
        connecting + attempts + disconnecting + frames + readers + states + losses + controls

    /// The suite of them.
    public static let suite = Suite("camera", cases)
}

extension Suite.Case where Subject == any CameraSourceHarness {
    /// The camera is disconnected and taken down in the end.
    init(
        _ id: String,
        _ name: String,
        needs: Set<HarnessCapability> = [],
        unless contradicts: HarnessCapability? = nil,
        on device: CameraDevice = .ready,
        _ check: @escaping @Sendable (Trial) async throws -> Void
    ) {
        let isTroubled = device != .ready || !needs.isDisjoint(with: [.loss, .recovery])
        let terms = FaultTerms(
            calmBecause: isTroubled ? "it brings about a failure of its own" : nil,
            excuses: { $0 is CameraError }
        )
        self.init(id, name, needs: needs, unless: contradicts, underFaults: terms, harness: { $0 }) {
            harness in
            let trial = try await Trial.make(device, harness)
            guard !isUnderFaults else { return try await trial.whileItsWorldFails { try await check(trial) } }
            try await trying {
                try await check(trial)
            } takingDown: {
                await trial.end()
            }
        }
    }
}
