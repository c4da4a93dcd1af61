internal import Concurrency
internal import ServiceClient
internal import Services

/// Reaches the hub of this home before it is known which of those that are found it is.
struct HubPairing: Sendable {
    /// How often a hub is asked whether a code has been confirmed.
    static let pollInterval: Duration = .seconds(2)
    /// How long before the end of a code a hub is asked once more.
    static let lastPause: Duration = .milliseconds(500)
    /// How long hubs of the local network are asked one after the other; the relay has the rest of ``patience``.
    static let localPatience: Duration = .seconds(20)
    /// How long a question may take in all.
    static let patience: Duration = .seconds(30)
    /// How long a code is shown at most, whatever a hub says.
    static let longestCode: Duration = .seconds(3_600)

    private let client: ServiceClient
    private let discovery: DiscoveryService

    init(_ http: WatchedHTTP, _ discovery: DiscoveryService) {
        client = ServiceClient(http, policy: .hubOnce) { nil }
        self.discovery = discovery
    }

    /// Sends a code that a hub shows to the hubs that are found, one after the other, and to the relay, until one takes it.
    ///
    /// - Returns: The answer, and the way on which it came; `nil` for the relay.
    func verify(
        _ code: String,
        for device: HubDevice
    ) async throws(ServiceFailure) -> (answer: AuthToken, way: HubWay?) {
        try await ask(SeedCalls.verification(of: code, for: device))
    }

    /// Asks a hub for a code.
    ///
    /// Any hub gives one to anybody: where the last came from a neighbour's, the next one comes from another hub, if there is one.
    ///
    /// - Parameter last: The code that did not help.
    func code(
        for device: HubDevice,
        after last: ShownCode?
    ) async throws(ServiceFailure) -> ShownCode {
        let question = try PublicHubCalls.code(for: device)
        let start = ContinuousClock.now
        let (answer, way) = try await ask(question, startingAfter: last)
        let time = min(.seconds(min(max(0, answer.expiresIn), 86_400)), Self.longestCode)
        // A code may be any text to a hub; what nobody can type is none.
        guard PairingError.isCode(answer.code) else {
            throw ServiceFailure(.malformed, operation: "ask for a code", peer: way?.authority ?? "")
        }
        return ShownCode(code: answer.code, end: start + time, way: way)
    }

    /// Waits until a person has confirmed a code at the hub, and exchanges it.
    ///
    /// A question that fails is asked again until the code has ended.
    ///
    /// - Throws: ``PairingError/codeEnded``, ``APIError`` for an exchange whose answer was lost, `CancellationError`.
    func tokens(for shown: ShownCode) async throws -> AuthToken {
        /// The exchange that may have used the code up.
        var lost: ServiceFailure?
        while true {
            let left = shown.end - .now
            if left <= .zero { throw lost?.asAppError ?? PairingError.codeEnded }
            // The last question but one is there before the code ends at the hub.
            let pause = left > Self.lastPause ? min(Self.pollInterval, left - Self.lastPause) : left
            try await Task.sleep(for: pause)
            guard let status = try await status(of: shown) else { continue }
            if status.confirmed {
                do throws(ServiceFailure) {
                    var question = try PublicHubCalls.exchange(shown.code)
                    question.call.address = address(of: shown)
                    return try await question.ask(client)
                } catch {
                    switch error.code {
                    case .cancelled: throw CancellationError()
                    case .unreachable, .notConfigured: break
                    case .malformed, .tooLarge: throw error.asAppError
                    // It was used: by the exchange whose answer was lost, or by somebody else.
                    case .refused where !error.isTransient: throw lost?.asAppError ?? Self.pairingError(error)
                    case .refused where [429, 503].contains(error.status): break
                    case .refused, .interrupted, .timedOut, .untrusted, .signedOut:
                        if error.mayHaveTakenEffect { lost = error }
                    }
                }
            } else if status.expired {
                throw lost?.asAppError ?? PairingError.codeEnded
            }
        }
    }

    /// How a code stands; `nil` where that cannot be had.
    private func status(of shown: ShownCode) async throws -> CodeStatus? {
        var question = PublicHubCalls.status(of: shown.code)
        question.call.address = address(of: shown)
        do throws(ServiceFailure) { return try await question.ask(client) } catch {
            if error.code == .cancelled { throw CancellationError() }
            return nil
        }
    }

    /// Where the hub is that has given a code; it may have moved since.
    private func address(of shown: ShownCode) -> ServiceAddress? {
        guard let way = shown.way else { return discovery.relay }
        guard let id = way.hubID else { return way.address }
        return discovery.found.first { $0.hubID == id }?.address ?? way.address
    }

    private static func pairingError(_ failure: ServiceFailure) -> any Error {
        [400, 401, 404].contains(failure.status) ? PairingError.codeEnded : failure.asAppError
    }

    // MARK: One hub after the other

    /// Asks the hubs that are found, one after the other, and then the relay, until one answers with what was asked for.
    ///
    /// The first may be a neighbour's, and what it says must not hide what the hub of this home says.
    ///
    /// - Parameter last: What came before: the hubs up to its own are asked last.
    private func ask<Answer>(
        _ question: HubQuestion<Answer>,
        startingAfter last: ShownCode? = nil
    ) async throws(ServiceFailure) -> (answer: Answer, way: HubWay?) {
        let start = ContinuousClock.now
        var tried: Set<String> = []
        var failure: ServiceFailure?
        var hasTriedRelay = false
        while true {
            var question = question
            let ways = ContinuousClock.now - start < Self.localPatience ? turns(after: last) : [nil]
            let way = ways.first { way in way.map { !tried.contains($0.authority) } ?? !hasTriedRelay }
            guard let way, let address = way?.address ?? discovery.relay else {
                throw failure ?? ServiceFailure(.notConfigured, operation: "reach a hub", peer: "")
            }
            question.call.address = address
            question.call.end = start + (way == nil ? Self.patience : Self.localPatience)
            do throws(ServiceFailure) { return (try await question.ask(client), way) } catch {
                guard error.code != .cancelled else { throw error }
                failure = failure.map { Self.weight(error) > Self.weight($0) ? error : $0 } ?? error
            }
            if let way { tried.insert(way.authority) } else { hasTriedRelay = true }
        }
    }

    /// The ways in the order in which they are asked; `nil` is the relay.
    private func turns(after last: ShownCode?) -> [HubWay?] {
        let ways = discovery.found.map(Optional.some) + (discovery.relay == nil ? [] : [nil])
        guard let last, let index = ways.firstIndex(where: { $0?.authority == last.way?.authority }) else {
            return ways
        }
        return Array(ways[(index + 1)...] + ways[...index])
    }

    /// Which of two failures says more about the code; of two that say as much it is the first, since a code that was taken is refused afterwards.
    private static func weight(_ failure: ServiceFailure) -> Int {
        switch (failure.code, failure.status) {
        case _ where !failure.mayHaveTakenEffect: 0
        case (.interrupted, _), (.timedOut, _), (.malformed, _), (.tooLarge, _): 4
        // The hub, or something in front of it, has lost the answer: a neighbour's refusal must not hide that.
        case (.refused, 408), (.refused, 500), (.refused, 504): 3
        case (.refused, 429): 3
        case (.refused, 400), (.refused, 401): 2
        // So says a relay whose tunnel is down, too, and that must not hide what the hub at home has said.
        case (.refused, 502): 2
        case (.refused, _): 1
        case (.notConfigured, _), (.signedOut, _), (.unreachable, _), (.untrusted, _), (.cancelled, _): 0
        }
    }
}
