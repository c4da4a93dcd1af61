import Foundation
import SystemPrograms
import TestSupport
import Testing

@Suite("Programs of the system", .timeLimit(.minutes(2)))
struct LiveProgramTests {
    private let scripts: Scripts

    init() throws { scripts = try Scripts() }

    private func error(
        _ lines: String,
        input: [UInt8] = [],
        within limit: Duration = .seconds(60),
        outputLimit: Int = 1_000
    ) async throws -> ProgramError? {
        let program = try scripts.program(lines)
        return await #expect(throws: ProgramError.self) {
            try await program.run([], input: input, within: limit, outputLimit: outputLimit)
        }
    }

    @Test func `arguments and input reach a program as they are`() async throws {
        let arguments = ["--help", "a b", "$HOME `id` ; \"quoted\" 'too'", "", "*", "two\nlines"]
        let program = try scripts.program(#"printf '%s|' "$@"; cat"#)
        let input = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let output = try await program.run(
            arguments,
            input: input,
            within: .seconds(60),
            outputLimit: 1_000_000
        )
        #expect(output == Array(arguments.map { $0 + "|" }.joined().utf8) + input)
    }

    @Test func `a program gets nothing of the environment but what it needs`() async throws {
        let program = try scripts.program("exec /usr/bin/env")
        let output = try await program.run([], within: .seconds(60), outputLimit: 100_000)
        let names = String(decoding: output, as: UTF8.self).split(separator: "\n")
            .compactMap { $0.split(separator: "=").first.map(String.init) }
        let allowed: Set = [
            "PATH", "HOME", "LC_ALL", "ESPEAK_DATA_PATH", "XDG_RUNTIME_DIR", "PULSE_SERVER",
            "ALSA_CONFIG_PATH",
            // The shell's own.
            "PWD", "_", "OLDPWD", "SHLVL",
        ]
        #expect(names.contains("LC_ALL") && Set(names).isSubset(of: allowed), "\(names)")
    }

    @Test(arguments: ["no-such-program", "/nowhere/program", "/tmp"])
    func `a program that is missing is named, with what to install`(name: String) async throws {
        let program = SystemProgram(name, packages: ["one", "two"])
        let error = await #expect(throws: ProgramError.self) {
            try await program.run([], within: .seconds(60), outputLimit: 10)
        }
        // A folder may be entered, which counts as executable, and cannot be started.
        #expect(error?.code == (name == "/tmp" ? .notStarted : .missing))
        if name != "/tmp" {
            #expect(error?.description == "there is no \(name) on this machine: apt-get install one two")
        }
    }

    @Test func `a file that is no program is not started`() async throws {
        let path = scripts.folder.file("text")
        try Data("no program\n".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        let error = await #expect(throws: ProgramError.self) {
            try await SystemProgram(path).run([], within: .seconds(60), outputLimit: 10)
        }
        #expect(error?.code == .notStarted)
    }

    @Test func `a program that fails is quoted`() async throws {
        let failed = try await error("echo 'no such voice' >&2; exit 3")
        #expect(failed?.code == .failed(status: 3))
        #expect(failed?.detail == "no such voice")
        #expect(try await error("kill -KILL $$")?.code == .killed(signal: 9))
        // However much it complains: the end of it.
        let loud = try await error("yes complaint | head -c 3000000 >&2; echo last >&2; exit 1")
        #expect(loud.map { $0.detail.hasSuffix("last") && $0.detail.utf8.count <= 1_000 } == true)
    }

    @Test func `a program that never ends is ended in time, with what it has started`() async throws {
        let start = ContinuousClock.now
        let slow = try await error(
            "sleep 1000 & echo $! > '\(scripts.folder.file("child"))'; wait",
            within: .milliseconds(500)
        )
        #expect(slow?.code == .tooSlow)
        #expect(ContinuousClock.now - start < .seconds(30))
        let child = try await scripts.line(of: "child")
        #expect(!isAlive(child))
    }

    @Test func `a program that writes without end is ended`() async throws {
        #expect(try await error("yes")?.code == .tooMuchOutput)
    }

    @Test func `a program that does not read is ended in time, and one that had enough is no failure`()
        async throws
    {
        let input = [UInt8](repeating: 1, count: 1 << 20)
        #expect(
            try await error("exec sleep 1000", input: input, within: .milliseconds(300))?.code == .tooSlow
        )
        let brief = try scripts.program("echo done")
        let output = try await brief.run([], input: input, within: .seconds(60), outputLimit: 10)
        #expect(output == Array("done\n".utf8))
    }

    @Test func `output that another process keeps open does not keep the caller`() async throws {
        // Without what Foundation knows a process's end by, which the other one inherits as well.
        let program = try scripts.program(
            """
            bash -c 'for file in /proc/$$/fd/*; do
                number=${file##*/}
                [ $number -le 2 ] || eval "exec $number>&-"
            done
            exec sleep 20' &
            echo done
            """
        )
        let start = ContinuousClock.now
        #expect(
            try await program.run([], within: .seconds(60), outputLimit: 10) == Array("done\n".utf8)
        )
        #expect(ContinuousClock.now - start < .seconds(15))
    }

    @Test
    func
        `a program that has ended, and left another one behind, lasts as long as that, and no longer than it may`()
        async throws
    {
        let error = try await error(
            "sleep 1000 & echo $! > '\(scripts.folder.file("child"))'",
            within: .milliseconds(500)
        )
        #expect(error?.code == .tooSlow)
        let child = try await scripts.line(of: "child")
        #expect(!isAlive(child))
    }

    @Test func `what a program has started in another group does not block the caller`() async throws {
        let start = ContinuousClock.now
        let error = try await error("setsid sleep 60 & exec sleep 1000", within: .milliseconds(300))
        #expect(error?.code == .tooSlow)
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test func `a cancelled task ends its program before it returns`() async throws {
        let program = try scripts.program("echo $$ > '\(scripts.folder.file("self"))'; exec sleep 1000")
        let run = Task { try await program.run([], within: .seconds(1000), outputLimit: 10) }
        let number = try await scripts.line(of: "self")
        #expect(isAlive(number))
        run.cancel()
        let error = await #expect(throws: ProgramError.self) { try await run.value }
        #expect(error?.code == .cancelled)
        #expect(!isAlive(number))
    }

    @Test func `many programs at once all end, and leave no file open`() async throws {
        let program = try scripts.program("cat")
        func open() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }
        let before = try open()
        for _ in 0..<10 {
            try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask {
                        let text = Array("\(number)".utf8)
                        let output = try await program.run(
                            [],
                            input: text,
                            within: .seconds(60),
                            outputLimit: 10
                        )
                        #expect(output == text)
                    }
                }
                try await group.waitForAll()
            }
        }
        // Others of this process open files meanwhile; 200 programs had six ends each.
        #expect(try open() < before + 200)
    }
}
