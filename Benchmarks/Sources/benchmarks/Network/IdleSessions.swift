import Glibc
import HTTPTypes
import LiveTransport
import Transport

/// Memory of a server's process with 5,000 WebSocket sessions that are open and silent, over what it had without any.
///
/// Clients are in this process, whose memory does not count.
enum IdleSessions {
    static let count = 5_000

    private struct Failed: Error { var reason: String }

    static let benchmark = Benchmark(
        name: "idle-sessions",
        summary: "memory of a server's process for each of 5,000 idle WebSocket sessions"
    ) { _ in
        try allowDescriptors(count + 200)
        let setup =
            #"{"setup":{"model":"models/gemini-2.0-flash-live-001","generationConfig":{"responseModalities":["TEXT"]}}}"#
        return [
            try await measure(.echo, path: "/", first: "hello"),
            try await measure(
                .gemini,
                path:
                    "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent?key=benchmark",
                first: setup
            ),
        ]
    }

    private static func measure(_ server: ServedPeer, path: String, first: String) async throws -> Finding {
        let peer = try PeerProcess(server)
        let transport = try LiveTransport()
        let request = HTTPRequest(method: .get, scheme: "ws", authority: peer.address, path: path)
        @Sendable func open() async throws -> any WebSocket {
            let socket = try await transport.connect(
                request,
                limits: WebSocketLimits(),
                timeout: .seconds(60)
            )
            try await socket.send(text: first)
            // Answered, the server has set everything up.
            if case .closed(let close) = try await socket.receive() {
                throw Failed(reason: "closed with \(close)")
            }
            return socket
        }
        let before = peer.memory.resident
        let sockets = try await withThrowingTaskGroup(of: (any WebSocket).self) { group in
            var sockets: [any WebSocket] = []
            for index in 0..<count {
                if index >= 50, let socket = try await group.next() { sockets.append(socket) }
                group.addTask { try await open() }
            }
            for try await socket in group { sockets.append(socket) }
            return sockets
        }
        let each = Double(peer.memory.resident - before) / Double(sockets.count)
        await transport.shutdown()
        return Finding("idle-sessions.\(server.rawValue)", "kB/session", Samples([each / 1000]))
    }

    /// Raises the limit of open descriptors, also of processes that are started from now on.
    private static func allowDescriptors(_ needed: Int) throws {
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_max >= needed else { throw Failed(reason: "needs \(needed) open files") }
        limit.rlim_cur = max(limit.rlim_cur, rlim_t(needed))
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
