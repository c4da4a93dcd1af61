import Foundation
import HTTPTypes
import LiveTransport
import Transport

/// A WebSocket client that sends back what it gets, for servers that test clients.
///
/// Reads lines from standard input, `URL [CODE [REASON]]`, and visits one URL after another. With a code, it closes with it
/// after it has echoed the first message. Prints a line for each: `closed CODE REASON`, `refused STATUS`, or `failed ERROR`.
/// Arguments are PEM files of roots to trust besides the system's.
@main
struct EchoClient {
    /// Larger than any message that tests send.
    private static let limits = WebSocketLimits(messageBytes: 64 * 1024 * 1024)

    private let transport: LiveTransport

    static func main() async throws {
        let roots = CommandLine.arguments.dropFirst().map { PEMSource.file($0) }
        let transport = try LiveTransport(.init(extraTrustedRoots: Array(roots)))
        let client = EchoClient(transport: transport)
        while let line = readLine() {
            let outcome = await client.visit(line.split(separator: " ", maxSplits: 2).map(String.init))
            try FileHandle.standardOutput.write(contentsOf: Data("\(outcome)\n".utf8))
        }
        await transport.shutdown()
    }

    private func visit(_ words: [String]) async -> String {
        guard let request = words.first.flatMap(Self.request) else { return "failed no URL" }
        do {
            let socket = try await transport.connect(request, limits: Self.limits, timeout: .seconds(30))
            let farewell = words.dropFirst().first.flatMap { UInt16($0) }.map {
                WebSocketClose(code: $0, reason: words.count > 2 ? words[2] : "")
            }
            let close = try await echo(socket, farewell)
            return close.reason.isEmpty ? "closed \(close.code)" : "closed \(close.code) \(close.reason)"
        } catch {
            if let status = error.status { return "refused \(status)" }
            return "failed \(error.code.rawValue)"
        }
    }

    /// Echoes until the end, which it returns.
    private func echo(
        _ socket: any WebSocket,
        _ farewell: WebSocketClose?
    ) async throws(TransportError) -> WebSocketClose {
        while true {
            let event = try await socket.receive()
            do {
                switch event {
                case .text(let text): try await socket.send(text: text)
                case .binary(let bytes): try await socket.send(binary: bytes)
                case .closed(let close): return close
                }
            } catch {
                // The connection has ended; the next event says how.
                continue
            }
            if let farewell { await socket.close(farewell) }
        }
    }

    /// `ws://host:port/path?query`, or `wss`.
    private static func request(_ url: String) -> HTTPRequest? {
        let parts = url.components(separatedBy: "://")
        guard parts.count == 2, ["ws", "wss"].contains(parts[0]) else { return nil }
        let authority = parts[1].prefix { $0 != "/" }
        let path = parts[1].dropFirst(authority.count)
        return HTTPRequest(
            method: .get,
            scheme: parts[0],
            authority: String(authority),
            path: path.isEmpty ? "/" : String(path)
        )
    }
}
