import TestSupport
import Testing

@Suite("The command for a hub with a push service", .timeLimit(.minutes(5)))
struct HubPushCommandTests {
    @Test(arguments: [
        (["serve", "push", "--push", "https://127.0.0.1:1", "--push-key", "k"], "for serve argus"),
        (["serve", "argus", "--push", "http://127.0.0.1:1", "--push-key", "k"], "https"),
        (["serve", "argus", "--push", "https://127.0.0.1:1"], "--push-key"),
        (["serve", "argus", "--push-topic", "a"], "--push"),
    ])
    func `what does not fit is refused with its reason`(_ arguments: [String], _ words: String) async throws {
        let folder = try TemporaryFolder()
        let run = try await CommandLineRun.run(arguments, in: folder.path)
        #expect(run.status == 64 && run.errors.contains(words), "\(run.errors)")
    }
}
