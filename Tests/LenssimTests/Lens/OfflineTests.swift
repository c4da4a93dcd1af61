import Foundation
import TestSupport
import Testing

/// What works on a machine that has no network but its loopback, and no key.
@Suite("Without a network", .timeLimit(.minutes(5)))
struct OfflineTests {
    /// Runs in a network of its own that has a loopback alone (network_namespaces(7)); the environment of these runs has no key.
    private static let offline = [
        "/usr/bin/unshare", "-r", "-n", "/bin/sh", "-c",
        "ip link set lo up && test \"$(ip -o link | wc -l)\" = 1 && exec \"$@\"", "sh",
    ]

    /// Whether this machine lets its users have such a network, and has the programs for it.
    private static let isPossible = CommandLineRun.isPossible(by: offline)

    @Test(
        .enabled(
            if: isPossible,
            "needs unshare and ip (apt-get install util-linux iproute2) and the right to make a network namespace"
        ),
        arguments: [
            ["run", "lens-streaming", "--seed", "3"],
            ["demo", "--seconds", "1"],
        ]
    )
    func `scenarios and the demonstration need no network beyond loopback, and no key`(
        _ arguments: [String]
    ) async throws {
        let folder = try TemporaryFolder()
        let run = try await CommandLineRun.run(arguments, in: folder.path, launcher: Self.offline)
        #expect(run.status == 0, "\(run.errors)")
        #expect(!run.output.isEmpty)
    }
}
