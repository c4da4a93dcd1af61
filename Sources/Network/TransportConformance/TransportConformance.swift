public import Conformance

/// The requirements of `Transport` and `ServerHost`, as cases that any pair of both can be run against.
///
/// Cases are independent of each other and may run in parallel; each makes servers, connections and sockets of its own. They
/// fail by throwing a `ConformanceFailure`, so that any test framework can run them, and a command too.
///
/// ```swift
/// @Test(arguments: TransportConformance.cases)
/// func conforms(_ test: TransportConformance.Case) async throws {
///     try await test.run(with: TransportHarness(client: myTransport, host: myHost))
/// }
/// ```
///
/// The cases need no particular pace: they hold over real sockets and in virtual time, with any latency up to a second. A case
/// that waits for something to end waits for as long as ``TransportHarness/patience``.
public enum TransportConformance {
    /// All requirements, in the order of their identifiers' first words.
    public static let cases: [Case] =
        http + requests + keptConnections + webSocket + webSocketEndings + webSocketMessages + datagram
        + datagramOptions

    /// One requirement.
    public struct Case: Sendable, CustomStringConvertible {
        /// A name that stays the same when the sentence changes, such as `http.framing`: area, point, what is special.
        public let id: String
        /// The requirement as a sentence.
        public let name: String
        /// Whether the case looks into its server while that runs, so that both have to be in one process and in one world:
        /// it cannot be replayed from a recording, nor reach a server outside of the simulation.
        public let observesServer: Bool

        private let check: @Sendable (Trial) async throws -> ConformanceOutcome

        /// A case that applies to every transport.
        init(
            _ id: String,
            _ name: String,
            observesServer: Bool = false,
            _ check: @escaping @Sendable (Trial) async throws -> Void
        ) {
            self.id = id
            self.name = name
            self.observesServer = observesServer
            self.check = { trial in
                try await check(trial)
                return .passed
            }
        }

        /// A case that some transports do not have what it needs for.
        init(
            id: String,
            name: String,
            observesServer: Bool = false,
            check: @escaping @Sendable (Trial) async throws -> ConformanceOutcome
        ) {
            self.id = id
            self.name = name
            self.observesServer = observesServer
            self.check = check
        }

        /// The identifier and the sentence.
        public var description: String { "\(id): \(name)" }

        /// Checks the requirement.
        ///
        /// - Throws: `ConformanceFailure`, or an error of the transport that the case did not expect.
        @discardableResult
        public func run(with harness: TransportHarness) async throws -> ConformanceOutcome {
            try await check(Trial(harness: harness))
        }
    }
}
