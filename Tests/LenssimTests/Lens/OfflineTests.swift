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

    private static let repository = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The network devices of this process's network (proc_pid_net(5)); empty where that cannot be read.
    private static let devices: [String] = {
        let table = try? String(contentsOfFile: "/proc/self/net/dev", encoding: .utf8)
        return (table ?? "").matches(of: /\n *([^ :|]+):/).map { String($0.output.1) }
    }()

    /// Debian's package of each library that the package links by its headers, beside SQLite; glibc and the kernel's headers come with the toolchain.
    private static let packages: [String: String?] = [
        "CTurboJPEG": "libturbojpeg0-dev", "CPNG": "libpng-dev", "CZBar": "libzbar-dev",
        "CQREncode": "libqrencode-dev", "CNetlink": nil, "CMalloc": nil,
    ]

    private static func matches(in file: String, _ pattern: Regex<(Substring, Substring)>) throws -> Set<
        String
    > {
        let text = try String(contentsOf: repository.appending(path: file), encoding: .utf8)
        return Set(text.matches(of: pattern).map { String($0.output.1) })
    }

    @Test(
        "LENS-259 these tests pass with no network beyond loopback, no camera and no key, on the packages that the set-up installs; and the folders of the package are where they are looked for",
        .enabled(
            if: devices == ["lo"],
            "SKIPPED: this machine has a network; ./scripts/offline-tests runs all tests without one, as CI does"
        )
    )
    func everything() throws {
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "/dev").allSatisfy { !$0.hasPrefix("video") }
        )
        let keys = ProcessInfo.processInfo.environment.keys.filter {
            $0.contains(/KEY|TOKEN|SECRET|PASSWORD/.ignoresCase())
        }
        #expect(keys.isEmpty)

        let libraries = try Self.matches(in: "Package.swift", /systemLibrary\(name: "(\w+)"/)
        #expect(libraries == Set(Self.packages.keys))
        let installed = try Self.matches(in: "scripts/setup", /\nneed ([a-z0-9.-]+)/)
        #expect(installed == Set(Self.packages.values.compactMap(\.self) + ["libsqlite3-dev", "pkg-config"]))

        for name in ["Package.swift", "Sources", "Tests", "Fixtures", "Simulators"] {
            #expect(
                FileManager.default.fileExists(atPath: Self.repository.appending(path: name).path),
                "\(name)"
            )
        }
    }
}
