public import Conformance

/// The requirements of `CameraSource`, as cases that any implementation can be run against.
///
/// Cases are independent of each other and may run in parallel; each has a camera of its own. They fail by throwing a
/// `ConformanceFailure`, so that any test framework can run them, and a command too.
///
/// What a camera shows does not matter, as long as frames come. What only its author can bring about, such as a cable that is
/// pulled, a harness lists (``HarnessCapability``): one without it leaves out the cases that need it.
/// `Documentation/CameraBackend.md` writes a camera with its harness step by step.
public enum CameraSourceConformance {
    /// All requirements, in the order of their identifiers' first words.
    public static let cases: [Case] =
        connecting + attempts + disconnecting + frames + readers + states + losses + controls

    /// Runs all cases, one after the other, and grades the camera by groups of them.
    public static func report(with harness: some CameraSourceHarness) async -> ConformanceReport {
        var report = ConformanceReport()
        for test in cases { await report.add(test.id) { try await test.run(with: harness) } }
        return report
    }

    /// One requirement.
    public struct Case: Sendable, CustomStringConvertible {
        /// A name that stays the same when the sentence changes, such as `frame.order`: area, and point.
        public let id: String
        /// The requirement as a sentence.
        public let name: String
        /// What it needs of the harness.
        public let needs: Set<HarnessCapability>

        private let contradicts: HarnessCapability?
        private let device: CameraDevice
        private let check: @Sendable (Trial) async throws -> Void

        /// - Parameter contradicts: A capability of cameras that are meant to behave in another way.
        init(
            _ id: String,
            _ name: String,
            needs: Set<HarnessCapability> = [],
            unless contradicts: HarnessCapability? = nil,
            on device: CameraDevice = .ready,
            _ check: @escaping @Sendable (Trial) async throws -> Void
        ) {
            self.id = id
            self.name = name
            self.needs = needs
            self.contradicts = contradicts
            self.device = device
            self.check = check
        }

        /// The requirement with its name.
        public var description: String { "\(id): \(name)" }

        /// Checks the requirement on a new camera, which is disconnected and taken down in the end.
        ///
        /// No wait is longer than the harness's ``CameraSourceHarness/patience``, also for a camera that ignores cancellation: what
        /// does not end by then is left to itself.
        ///
        /// - Throws: `ConformanceFailure`, or whatever the harness throws.
        @discardableResult
        public func run(with harness: some CameraSourceHarness) async throws -> ConformanceOutcome {
            let missing = needs.subtracting(harness.capabilities)
            guard missing.isEmpty else {
                let names = missing.map(\.rawValue).sorted().joined(separator: ", ")
                return .notApplicable("the harness cannot do: \(names)")
            }
            if let contradicts, harness.capabilities.contains(contradicts) {
                return .notApplicable("the camera has \(contradicts.rawValue)")
            }
            let trial = try await Trial.make(device, harness)
            let result: Result<Void, any Error>
            do { result = .success(try await check(trial)) } catch { result = .failure(error) }
            await trial.end()
            try result.get()
            return .passed
        }
    }
}
