import AppHost
import AppKernel
import Foundation
import LiveTransport
import Notes
import NotesWorld
import PageKit
import PeerKit
import Transport

/// Notes in a browser, with a simulated service on this machine.
@main
struct NotesProgram {
    private static let output = AppOutput("notes")

    static func main() async {
        // What people write is for them alone.
        let mask = umask(0o077)
        await output.run { stopped in try await serve(mask, until: stopped) }
    }

    private static func serve(_ mask: mode_t, until stopped: () async -> Void) async throws {
        let folder = try AppFolder(path: ".notes", of: "Notes")
        defer { folder.release() }
        let (host, transport, server) = (try LoopbackHost(), try LiveTransport(), NotesServer())
        // Of three requests one is answered: notes wait, fail, and are sent again.
        let isTroubled = CommandLine.arguments.contains("--trouble")
        if isTroubled { try server.faults.arm("http.503", probability: 0.67) }
        let service = try await host.listen(server, at: .loopback())
        let app = try NotesApp(
            database: AppDatabase(path: folder.path + "/notes.sqlite"),
            http: transport,
            address: "http://\(service.address)"
        )
        let page = try await HostedPage(in: folder, on: host) { PageServer(app, token: $0) }
        output.line("Notes is at  \(page.address)\nCtrl-C ends it.")
        let browser = try BrowserStart(
            at: page.address,
            title: "Notes",
            through: folder.path + "/open.html",
            mask: mask
        ) { output.warn($0) }
        await stopped()
        _ = consume browser
        await page.stop()
        await app.shutdown()
        await service.stop()
        await transport.shutdown()
    }
}
