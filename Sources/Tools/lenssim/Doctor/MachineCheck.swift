import CommandKit
import DesktopNotifications
import EspeakSpeech
import Exploration
import Foundation
import LiveTransport
import PocketsphinxSpeech
import ScenarioKit
import Simulation
import SystemPrograms
import Transport
import V4L2Camera

/// Looks at what commands use of a machine.
struct MachineCheck {
    /// All that was looked at, by area.
    func findings() async -> [Finding] {
        [engine, symbols, cores, kernel] + [worldFolder, stateFolder, descriptors] + programs
            + (await cameras) + (await network) + [desktop] + credentials
    }

    // MARK: The engine

    private var engine: Finding {
        let name = "engine"
        guard
            let program = Apps.scenarios.scenarios.first.map({ $0.name })
                ?? ProgramCatalogue.others.first?.name,
            let first = try? ProgramCatalogue.named(program)
        else { return .absent("simulation", name, "there is no program to run", advice: nil) }
        let runs = (0..<2).map { _ in first.run(Recipe(seed: 1), recording: .nothing) }
        guard runs[0].hash == runs[1].hash else {
            return .broken(
                "simulation",
                name,
                "\(program) is not the same twice: \(String(runs[0].hash, radix: 16)) and \(String(runs[1].hash, radix: 16))",
                advice: "lenssim determinism --seeds 1...100 shows where; this is a mistake of LensSim"
            )
        }
        return .usable("simulation", name, "\(program) runs, and is the same twice")
    }

    private var symbols: Finding {
        if let path = Symbolizer.paths().first(where: { unsafe access($0, X_OK) == 0 }) {
            return .usable("simulation", "llvm-symbolizer", path)
        }
        return .absent(
            "simulation",
            "llvm-symbolizer",
            "not found: reports of failures read debug information by themselves, which takes seconds",
            advice: "put the toolchain's in PATH, or name one in \(Symbolizer.variable)"
        )
    }

    private var cores: Finding {
        let count = ProcessInfo.processInfo.activeProcessorCount
        return .usable("simulation", "cores", "\(count), each of which searches in a process of its own")
    }

    private var kernel: Finding {
        var name = utsname()
        guard unsafe uname(&name) == 0 else {
            return .absent("simulation", "kernel", "its version is not known", advice: nil)
        }
        let text = unsafe withUnsafeBytes(of: &name.release) {
            unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        return .usable("simulation", "kernel", "Linux \(text)")
    }

    // MARK: Files and limits

    private var worldFolder: Finding {
        WorldFolder.place.hasPrefix("/dev/shm")
            ? .usable("files", "files of worlds", "in memory, at \(WorldFolder.place)")
            : .absent(
                "files",
                "files of worlds",
                "at \(WorldFolder.place), which is slower than memory",
                advice: "unset TMPDIR, and have a gigabyte free in /dev/shm"
            )
    }

    private var stateFolder: Finding {
        var folder = FileManager.default.currentDirectoryPath
        if FileManager.default.fileExists(atPath: folder + "/.lenssim") { folder += "/.lenssim" }
        guard unsafe access(folder, W_OK | X_OK) == 0 else {
            return .broken(
                "files",
                "state folder",
                "\(folder) cannot be written: \(unsafe String(cString: strerror(errno)))",
                advice: "go to another folder, or allow writing there"
            )
        }
        var status = statvfs()
        guard unsafe statvfs(folder, &status) == 0 else {
            return .absent("files", "state folder", "\(folder): its free space is not known", advice: nil)
        }
        let bytes = status.f_bavail.multipliedReportingOverflow(by: status.f_frsize)
        let free = bytes.overflow ? Int.max >> 20 : Int(bytes.partialValue >> 20)
        return free >= 100
            ? .usable("files", "state folder", "\(folder), \(grouped(free)) MB free")
            : .broken("files", "state folder", "\(folder) has \(free) MB free", advice: "free some space")
    }

    private var descriptors: Finding {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return .absent("files", "open files", "the limit is not known", advice: nil)
        }
        return limit.rlim_cur >= 1024
            ? .usable("files", "open files", "up to \(grouped(Int(clamping: limit.rlim_cur)))")
            : .absent(
                "files",
                "open files",
                "up to \(limit.rlim_cur), too few for servers with many connections",
                advice: "ulimit -n 4096"
            )
    }

    // MARK: Programs and devices

    private var programs: [Finding] {
        [
            (EspeakVoice.espeak, "speaks replies"), (EspeakVoice.aplay, "plays what was spoken"),
            (PocketsphinxRecognizer.pocketsphinx, "understands speech"),
            (SystemProgram("gdbus", packages: ["libglib2.0-bin"]), "shows notifications on the desktop"),
            (SystemProgram("xdg-open", packages: ["xdg-utils"]), "opens pages of apps with --open"),
        ]
        .map { program, purpose in
            program.path.map { .usable("programs", program.name, "\(purpose): \($0)") }
                ?? .absent(
                    "programs",
                    program.name,
                    "\(purpose): not installed",
                    advice: "apt-get install \(program.packages.joined(separator: " "))"
                )
        }
    }

    private var cameras: [Finding] {
        get async {
            var refused: [V4L2Failure] = []
            var findings: [Finding] = []
            do {
                findings = try await V4L2Devices().all { refused.append($0) }.filter(\.isCamera).map {
                    camera in
                    camera.sizes.isEmpty
                        ? .absent("devices", camera.path, "\(camera.card) has no usable format", advice: nil)
                        : .usable("devices", camera.path, "\(camera.card), up to \(camera.sizes[0])")
                }
            } catch {
                findings.append(.absent("devices", "cameras", "they cannot be listed: \(error)", advice: nil))
            }
            findings += refused.map { failure in
                .absent("devices", "a camera", "\(failure)", advice: Self.advice(for: failure))
            }
            if findings.isEmpty {
                findings = [
                    .absent(
                        "devices",
                        "cameras",
                        "none is plugged in",
                        advice: "the simulated room, pictures (--input) and Wi-Fi cameras need none"
                    )
                ]
            }
            return findings
        }
    }

    /// What the system's number of a refusal asks for.
    private static func advice(for failure: V4L2Failure) -> String? {
        switch failure.reason {
        case .number(EACCES), .number(EPERM): "sudo usermod --append --groups video $USER, and sign in again"
        case .number(EBUSY): "end the program that uses it"
        default: nil
        }
    }

    // MARK: Network and desktop

    private var network: [Finding] {
        get async {
            guard let transport = try? LiveTransport() else {
                return [
                    .broken(
                        "network",
                        "sockets",
                        "none can be made",
                        advice: "look at the limits of this process"
                    )
                ]
            }
            var findings: [Finding] = []
            for (name, host) in [("127.0.0.1", "127.0.0.1"), ("::1", "::1")] {
                do throws(TransportError) {
                    let address = SocketAddress(host: host, port: 0)
                    let socket = try await transport.bind(address, options: DatagramOptions())
                    await socket.close()
                    findings.append(.usable("network", name, "services listen here unless told otherwise"))
                } catch {
                    findings.append(
                        name == "::1"
                            ? .absent("network", name, "\(error)", advice: nil)
                            : .broken("network", name, "\(error)", advice: "ip link set lo up")
                    )
                }
            }
            let names = ((try? await transport.interfaces()) ?? []).filter { interface in
                interface.addresses.contains {
                    !"\($0.address)".hasPrefix("127.") && "\($0.address)" != "::1"
                }
            }
            .map(\.name)
            findings.append(
                names.isEmpty
                    ? .absent(
                        "network",
                        "local network",
                        "no interface but the loopback one: browse, advertise and Wi-Fi cameras find nobody",
                        advice: "join a network"
                    )
                    : .usable("network", "local network", names.joined(separator: ", "))
            )
            await transport.shutdown()
            return findings
        }
    }

    private var desktop: Finding {
        DesktopNotifications.hasSession
            ? .usable("network", "desktop", "there is a D-Bus of a session")
            : .absent(
                "network",
                "desktop",
                "there is no D-Bus of a session: receive --desktop shows nothing",
                advice: "run it in a desktop, or with dbus-run-session"
            )
    }

    // MARK: Keys

    private var credentials: [Finding] {
        [
            ("GEMINI_API_KEY", "for demo --gemini google"),
            ("SUPABASE_KEY", "for demo --store supabase --endpoint …"),
            ("S3_SECRET_KEY", "for demo --store s3 --endpoint …"),
        ]
        .map { name, purpose in
            ProcessInfo.processInfo.environment[name, default: ""].isEmpty
                ? .absent("keys", name, "not set, \(purpose)", advice: nil)
                : .usable("keys", name, "set, \(purpose)")
        }
    }
}
