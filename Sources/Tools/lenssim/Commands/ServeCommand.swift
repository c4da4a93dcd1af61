import ArgumentParser
import Foundation
import LensScenarios
import LiveTransport
import SupabaseServer
import Transport

/// The command `lenssim serve gemini|supabase`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves a simulated service on a socket, for any client.",
        usage: "lenssim serve gemini|supabase [<options>]",
        discussion: HelpText.filled(
            """
            Examples:
              lenssim serve gemini --port 8080
              lenssim serve supabase --port 8081 --data ./objects

            Listens on this machine only, unless --allow-remote is given. Ends with Ctrl-C.
            """
        )
    )

    enum Peer: String, ExpressibleByArgument, CaseIterable {
        case gemini, supabase
    }

    @Argument(help: "Which service.")
    var peer: Peer

    @Option(help: "The port; 0 takes a free one.")
    var port = 0

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Flag(help: "Listen where other machines can reach it.")
    var allowRemote = false

    @Option(
        help: "Where Supabase keeps its objects between runs. (default: memory only)",
        completion: .directory
    )
    var data: String?

    @Option(help: "A certificate chain in PEM, for TLS; with --private-key.", completion: .file())
    var certificate: String?

    @Option(help: "The certificate's private key in PEM.", completion: .file())
    var privateKey: String?

    func validate() throws {
        if !(0...65_535).contains(port) { throw ValidationError("--port must be 0 to 65535.") }
        if (certificate == nil) != (privateKey == nil) {
            throw ValidationError("TLS needs both --certificate and --private-key.")
        }
    }

    func run() async throws {
        let terminal = Terminal()
        let stop = StopRequest()
        do {
            let identity = try identity()
            let sockets = try LoopbackHost(allowRemote: allowRemote, identity: identity)
            let address = SocketAddress(host: host, port: port)
            guard try await sockets.allows(address) else {
                throw ValidationError("Other machines can reach \(host): add --allow-remote to allow that.")
            }
            let servers = try LensServers(LensOptions(), storeFolder: data)
            let server: any Server = peer == .gemini ? servers.gemini : servers.supabase
            let listener = try await sockets.listen(server, at: address)
            let scheme = identity == nil ? "http" : "https"
            terminal.line("\(peer.rawValue) at \(scheme)://\(listener.address), Ctrl-C ends it")
            switch peer {
            case .gemini:
                terminal.line("  key    \(LensOptions.modelKey)")
                terminal.line("  model  \(LensOptions.modelName)")
            case .supabase:
                terminal.line("  bucket       \(LensOptions.bucket)")
                terminal.line("  anon key     \(servers.supabase.project.anonymousKey)")
                terminal.line("  service key  \(servers.supabase.project.serviceKey)")
            }
            await stop.wait()
            await listener.stop()
        } catch let usage as ValidationError {
            throw usage
        } catch let error as TransportError where error.code == .addressUnavailable {
            terminal.warn("lenssim: \(error). Choose another --port or --host; port 0 takes a free port.")
            throw Exit.code(for: error)
        } catch {
            terminal.warn("lenssim: \(error)")
            // The certificate is the user's own file.
            let isOwn = (error as? TransportError)?.code == .certificateRejected
            throw isOwn ? Exit.dataUnusable : Exit.code(for: error)
        }
    }

    /// Certificate and key, whose files are there and can be read; `nil` for plain text.
    private func identity() throws -> ServerIdentity? {
        guard let certificate, let privateKey else { return nil }
        for path in [certificate, privateKey] { try InputFile(path: path).check() }
        return ServerIdentity(certificateChain: .file(certificate), privateKey: .file(privateKey))
    }
}
