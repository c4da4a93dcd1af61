import Exploration
import Foundation
import Glibc
import Testing

@Suite("The priority of workers", .timeLimit(.minutes(10)))
struct LiveNicenessTests {
    /// In a user namespace (user_namespaces(7)) root has no rights over priorities.
    private static let isPossible =
        geteuid() == 0
        && (try? String(contentsOfFile: "/proc/self/uid_map", encoding: .utf8))?.contains("4294967295")
            == true

    @Test(
        "a process that is forked is as nice as its parent, whatever the thread is that forks",
        .enabled(if: isPossible, "only root may make a process less nice than a thread that forks it")
    )
    func nice() async throws {
        await #expect(processExitsWith: .success) {
            let which = __priority_which_t(PRIO_PROCESS.rawValue)
            _ = setpriority(which, id_t(getpid()), 3)
            let thread = Thread {
                // As libdispatch does with its own.
                _ = setpriority(which, 0, 5)
                let child = try? ChildProcess { output in
                    var line = Array("\(getpriority(which, 0))\n".utf8)
                    unsafe write(output, &line, line.count)
                    _exit(0)
                }
                exit(child?.allLines() == [Data("3".utf8)] ? 0 : 1)
            }
            thread.start()
            while true { pause() }
        }
    }
}
