import DesktopNotifications
import Foundation
import Services
import SystemPrograms
import TestSupport
import Testing

/// The desktop is a script that keeps what it is called with; `Tests/Clients/desktop_check.py` has a D-Bus, and a desktop on it.
@Suite("Notifications on the desktop", .timeLimit(.minutes(2)))
struct LiveDesktopTests {
    /// A program in place of `gdbus`, in a folder of its own.
    ///
    /// - Parameter tapsFirst: Whether what is shown is tapped before the call returns its number.
    private func program(_ folder: String, answer: String, tapsFirst: Bool = false) async throws
        -> SystemProgram
    {
        let (path, text) = (folder + "/gdbus", folder + "/gdbus.sh")
        let script = """
            #!/bin/sh
            case $1 in
            call) shift; printf '%s\\n' "$@" > "\(folder)/arguments"
                if \(tapsFirst); then
                    : > "\(folder)/tap"
                    while [ ! -e "\(folder)/tapped" ]; do sleep 0.05; done
                    sleep 0.2
                fi
                printf '%s\\n' "\(answer)"; exit 0 ;;
            monitor)
                echo Monitoring
                while [ ! -e "\(folder)/tap" ]; do sleep 0.05; done
                echo "/org/freedesktop/Notifications: org.freedesktop.Notifications.ActionInvoked (uint32 7, 'default')"
                : > "\(folder)/tapped"
                exec sleep 60 ;;
            esac
            """
        try Data(script.utf8).write(to: URL(filePath: text))
        // Another process writes it: while a child of another thread has our descriptor, between its fork and its program, nobody may
        // execute the file (ETXTBSY of execve(2)).
        _ = try await SystemProgram("install").run(
            ["-m", "700", text, path],
            within: .seconds(60),
            outputLimit: 1_000
        )
        return SystemProgram(path)
    }

    private let notification = PushNotification(
        id: "1",
        title: "It's \\ --help",
        body: "a < b & c\n\0d",
        payload: []
    )

    @Test("a notification is shown with its texts quoted, and its tap is reported")
    func shown() async throws {
        let folder = try TemporaryFolder()
        let taps = AsyncStream.makeStream(of: PushNotification.self)
        let desktop = DesktopNotifications(
            appName: "LensSim",
            program: try await program(folder.path, answer: "(uint32 7,)")
        ) {
            taps.continuation.yield($0)
        }
        try await desktop.show(notification)
        let text = try String(contentsOf: URL(filePath: folder.file("arguments")), encoding: .utf8)
        let arguments = text.split(separator: "\n").map { String($0) }
        #expect(arguments.contains(#"'It\'s \\ --help'"#))
        #expect(arguments.contains(#"'a &lt; b &amp; c\u000ad'"#))
        try folder.write([], to: "tap")
        for await tapped in taps.stream {
            #expect(tapped == notification)
            break
        }
        await desktop.shutdown()
    }

    @Test("a tap that comes before the desktop has said the notification's number is reported, once")
    func early() async throws {
        let folder = try TemporaryFolder()
        let taps = AsyncStream.makeStream(of: PushNotification.self)
        let desktop = DesktopNotifications(
            appName: "LensSim",
            program: try await program(folder.path, answer: "(uint32 7,)", tapsFirst: true)
        ) {
            taps.continuation.yield($0)
        }
        try await desktop.show(notification)
        await desktop.shutdown()
        taps.continuation.finish()
        var reported: [PushNotification] = []
        for await tapped in taps.stream { reported.append(tapped) }
        #expect(reported == [notification])
    }

    @Test("an answer that is no number of a notification is an error, and so is a program that is not there")
    func failures() async throws {
        let folder = try TemporaryFolder()
        let desktop = DesktopNotifications(
            appName: "LensSim",
            program: try await program(folder.path, answer: "()")
        ) { _ in }
        await #expect { try await desktop.show(notification) } throws: {
            ($0 as? ProgramError)?.code == .unusableOutput
        }
        await desktop.shutdown()
        let absent = DesktopNotifications(appName: "LensSim", program: SystemProgram("/no/gdbus")) { _ in }
        await #expect { try await absent.show(notification) } throws: {
            ($0 as? ProgramError)?.code == .missing
        }
    }
}
