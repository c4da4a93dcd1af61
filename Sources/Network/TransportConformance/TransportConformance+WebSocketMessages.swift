import Conformance
import HTTPTypes
import TestSupport
import Transport

extension TransportConformance {
    /// What handshakes agree on, and what messages look like.
    static let webSocketMessages: [Case] = [
        Case("ws.subprotocol", "a server chooses one of the offered subprotocols") { trial in
            let server = ScriptedServer(decide: { request in
                let offer = request.headerFields[.secWebSocketProtocol] ?? "none"
                return .accept(
                    WebSocketLimits(),
                    headerFields: [.secWebSocketProtocol: "superchat"]
                ) { socket in
                    try? await socket.send(text: "\(offer); \(socket.subprotocol ?? "none")")
                }
            })
            try await trial.serving(server) { authority, _ in
                let fields: HTTPFields = [.secWebSocketProtocol: "chat, superchat"]
                let socket = try await trial.connect(authority, fields: fields)
                try require(socket.subprotocol, is: "superchat", "the client knows what was chosen")
                try require(
                    try await socket.receive(),
                    is: .text("chat, superchat; superchat"),
                    "the server knows what was offered, and what it chose"
                )
            }
        },
        Case("ws.no-subprotocol", "without a choice there is no subprotocol") { trial in
            try await trial.serving(.session { _ = try? await $0.receive() }) { authority, _ in
                let socket = try await trial.connect(authority, fields: [.secWebSocketProtocol: "chat"])
                try require(socket.subprotocol, is: nil, "the client knows of none")
                await socket.close(.normal)
            }
        },
        Case("ws.subprotocol-not-offered", "a choice that was not offered fails the handshake") { trial in
            let server = ScriptedServer(decide: { _ in
                .accept(WebSocketLimits(), headerFields: [.secWebSocketProtocol: "other"]) { socket in
                    _ = try? await socket.receive()
                }
            })
            try await trial.serving(server) { authority, _ in
                try await requireFailure([.protocolViolation], "the handshake fails") {
                    _ = try await trial.connect(authority, fields: [.secWebSocketProtocol: "chat"])
                }
            }
        },
        Case("ws.handshake-request", "path, query and fields of the request reach the server") { trial in
            let server = ScriptedServer(decide: { request in
                .accept(WebSocketLimits()) { socket in
                    let accept = request.headerFields[.accept] ?? ""
                    try? await socket.send(text: "\(request.path ?? "") \(accept)")
                }
            })
            try await trial.serving(server) { authority, _ in
                let socket = try await trial.connect(authority, "/a/b?c=d", fields: [.accept: "all"])
                try require(try await socket.receive(), is: .text("/a/b?c=d all"), "the server has all three")
            }
        },
        Case("ws.bytes", "text is sent and received as bytes too, and only when it is UTF-8") { trial in
            try await trial.serving(.echo()) { authority, _ in
                let socket = try await trial.connect(authority)
                let text = Array("Grüße, κόσμε, 世界, 🙂".utf8)
                try await socket.send(utf8: text)
                try require(try await socket.receivePayload(), is: .text(text), "the bytes come back as text")
                for broken in [[0xC3], [0xED, 0xA0, 0x80], [0x61, 0xFF]] as [[UInt8]] {
                    try await requireFailure([.protocolViolation], "bytes that are not UTF-8 are not sent") {
                        try await socket.send(utf8: broken)
                    }
                }
                try await socket.send(binary: [0xFF])
                try require(
                    try await socket.receivePayload(),
                    is: .binary([0xFF]),
                    "the next message is unharmed"
                )
                await socket.close(.normal)
            }
        },
        Case("ws.large", "messages of megabytes arrive whole, with pings between them") { trial in
            try await trial.serving(.echo()) { authority, _ in
                let socket = try await trial.connect(authority)
                let text = String(repeating: "a megabyte of é and € and 🙂; ", count: 40_000)
                let bytes = [UInt8].pattern(1_500_001)
                for _ in 1...2 {
                    try await socket.send(text: text)
                    try await socket.ping(timeout: trial.harness.patience)
                    let echo = try await socket.receive()
                    try require(
                        echo == .text(text),
                        "the text comes back",
                        saw: "\(echo.byteCount) bytes"
                    )
                    try await socket.send(binary: bytes)
                    let binary = try await socket.receive()
                    try require(
                        binary == .binary(bytes),
                        "the bytes come back",
                        saw: "\(binary.byteCount) bytes"
                    )
                }
                await socket.close(.normal)
            }
        },
        Case("ws.many-senders", "messages of many tasks stay whole and in each task's order") { trial in
            let server = ScriptedServer.session { socket in
                await withDiscardingTaskGroup { group in
                    for sender in 0..<5 {
                        group.addTask {
                            for number in 0..<20 {
                                try? await socket.send(binary: [UInt8(sender), UInt8(number)])
                            }
                        }
                    }
                }
            }
            try await trial.serving(server) { authority, _ in
                let socket = try await trial.connect(authority)
                var next: [UInt8: UInt8] = [:]
                while case .binary(let bytes) = try await socket.receive() {
                    try require(bytes.count, is: 2, "a message has its two bytes")
                    try require(bytes[1], is: next[bytes[0], default: 0], "its task's order is kept")
                    next[bytes[0], default: 0] += 1
                }
                try require(next.values.sorted(), is: [20, 20, 20, 20, 20], "none is missing")
            }
        },
        Case("ws.cancelled-send", "a cancelled send leaves the conversation whole") { trial in
            try await trial.serving(.echo()) { authority, _ in
                let socket = try await trial.connect(authority)
                let sending = Task { () async -> TransportError.Code? in
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                    return await failure { () throws(TransportError) in try await socket.send(text: "no") }?
                        .code
                }
                try require(await sending.value, is: .cancelled, "the send says so")
                try await socket.send(text: "yes")
                try require(try await socket.receive(), is: .text("yes"), "what follows arrives alone")
                await socket.close(.normal)
            }
        },
        Case(
            "ws.withdrawn-send",
            "a send cancelled while it waits for room does not arrive",
            needs: [.observation]
        ) { trial in
            let (permission, reading) = AsyncStream.makeStream(of: Void.self)
            let (arrivals, continuation) = AsyncStream.makeStream(of: UInt8.self)
            let server = ScriptedServer.session(limits: WebSocketLimits(bufferedMessages: 2)) { socket in
                for await _ in permission { break }
                while case .binary(let bytes)? = try? await socket.receive() {
                    continuation.yield(bytes[0])
                }
                continuation.finish()
            }
            try await trial.serving(server) { authority, _ in
                defer { reading.yield() }
                let socket = try await trial.connect(authority)
                var sent: [UInt8] = []
                var withdrawn = 0
                for number: UInt8 in 0..<200 where withdrawn < 3 {
                    let message = [UInt8](repeating: number, count: 256 * 1024)
                    switch await send(message, on: socket, within: .milliseconds(200)) {
                    case nil: sent.append(number)
                    case .cancelled?: withdrawn += 1
                    case let code?: throw ConformanceFailure("message \(number) is sent", saw: "\(code)")
                    }
                }
                try require(withdrawn, is: 3, "sends to a peer that does not read wait")
                reading.yield()
                try await socket.send(binary: [255])
                await socket.close(.normal)
                var arrived: [UInt8] = []
                for await number in arrivals { arrived.append(number) }
                try require(arrived, is: sent + [255], "the messages whose sends returned arrive alone")
            }
        },
    ]

    /// Sends a message, and cancels that after a time; the code of what the send threw.
    static func send(
        _ message: [UInt8],
        on socket: any WebSocket,
        within time: Duration
    ) async -> TransportError.Code? {
        let sending = Task { () async -> TransportError.Code? in
            await failure { () throws(TransportError) in try await socket.send(binary: message) }?.code
        }
        let deadline = Task {
            try await Task.sleep(for: time)
            sending.cancel()
        }
        defer { deadline.cancel() }
        return await sending.value
    }
}
