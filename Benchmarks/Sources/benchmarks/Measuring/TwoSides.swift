import Glibc

/// What a conversation of two processes cost: the time that passed, and the processor time of each.
struct TwoSides: Sendable {
    var wall: Double
    /// Core seconds of this process.
    var client: Double
    /// Core seconds of the other process.
    var server: Double

    /// Measures a body that is the only one that runs in this process, and what the peer does meanwhile.
    static func of(_ peer: PeerProcess, _ body: () async throws -> Void) async rethrows -> TwoSides {
        let start = (Elapsed.now(CLOCK_MONOTONIC), Elapsed.now(CLOCK_PROCESS_CPUTIME_ID), peer.time)
        try await body()
        return TwoSides(
            wall: Elapsed.now(CLOCK_MONOTONIC) - start.0,
            client: Elapsed.now(CLOCK_PROCESS_CPUTIME_ID) - start.1,
            server: peer.time - start.2
        )
    }

    /// Core seconds of the side that needed more: how long it takes where each side has one core to itself.
    var busier: Double { max(client, server) }
}

/// Runs two things in turn, so that both see the same machine: a warm-up of each, then A, B, A, B and so on.
func alternate(
    rounds: Int,
    _ first: () async throws -> TwoSides,
    _ second: () async throws -> TwoSides
) async rethrows -> (first: [TwoSides], second: [TwoSides]) {
    var result = (first: [TwoSides](), second: [TwoSides]())
    for round in 0...rounds {
        let (a, b) = (try await first(), try await second())
        guard round > 0 else { continue }
        result.first.append(a)
        result.second.append(b)
    }
    return result
}
