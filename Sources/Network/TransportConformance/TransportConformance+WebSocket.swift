import Conformance
import HTTPTypes
import TestSupport
import Transport

extension TransportConformance {
    /// Conversations over WebSockets.
    static let webSocket: [Case] = [
        Case("ws.echo", "messages come back in order and unchanged") { trial in
            try await trial.serving(.echo()) { authority, _ in
                let socket = try await trial.connect(authority)
                for size in [0, 1, 126, 70_000] {
                    let bytes = [UInt8].pattern(size)
                    try await socket.send(binary: bytes)
                    try await socket.send(text: "size \(size)")
                    let binary = try await socket.receive()
                    try require(
                        binary == .binary(bytes),
                        "\(size) bytes come back",
                        saw: "\(binary.byteCount) bytes"
                    )
                    try require(
                        try await socket.receive(),
                        is: .text("size \(size)"),
                        "the text comes back next"
                    )
                }
                await socket.close(.normal)
            }
        },
        Case("ws.refused", "a refused handshake tells its status") { trial in
            let server = ScriptedServer(decide: { _ in .refuse(HTTPResponse(status: .forbidden), .text("no"))
            })
            try await trial.serving(server) { authority, _ in
                let error = try await requireFailure([.upgradeRefused], "the handshake fails") {
                    _ = try await trial.connect(authority)
                }
                try require(error.status, is: 403, "the error has the status")
            }
        },
        Case("ws.client-closes", "the client's close reaches the server", needs: [.observation]) { trial in
            let close = WebSocketClose(code: 4001, reason: "gone fishing")
            let (events, continuation) = AsyncStream.makeStream(of: WebSocketEvent.self)
            let server = ScriptedServer.session { socket in
                for _ in 0..<2 { if let event = try? await socket.receive() { continuation.yield(event) } }
            }
            try await trial.serving(server) { authority, _ in
                let socket = try await trial.connect(authority)
                await socket.close(close)
                await socket.close(.normal)
                try require(
                    try await socket.receive(),
                    is: .closed(close),
                    "the client's own close ends its side"
                )
                var iterator = events.makeAsyncIterator()
                try require(await iterator.next(), is: .closed(close), "the server sees the close")
                try require(await iterator.next(), is: .closed(close), "and sees it again when it asks again")
                try await requireFailure([.closed], "nothing can be sent after it") {
                    try await socket.send(text: "late")
                }
                try await requireFailure([.closed], "nor a ping") {
                    try await socket.ping(timeout: .seconds(1))
                }
            }
        },
        Case("ws.session-returns", "a session that returns closes with 1000") { trial in
            try await trial.serving(.session { try? await $0.send(text: "bye") }) { authority, _ in
                let socket = try await trial.connect(authority)
                try require(try await socket.receive(), is: .text("bye"), "what was sent last arrives")
                for _ in 1...2 {
                    try require(
                        try await socket.receive(),
                        is: .closed(.normal),
                        "then the end, however often one asks"
                    )
                }
            }
        },
        Case("ws.long-reason", "a long reason is cut between characters") { trial in
            let server = ScriptedServer.session { socket in
                await socket.close(WebSocketClose(code: 4000, reason: String(repeating: "é", count: 100)))
            }
            try await trial.serving(server) { authority, _ in
                let socket = try await trial.connect(authority)
                // A control frame has 125 bytes, two of them the code (RFC 6455, section 5.5); é has two.
                let reason = String(repeating: "é", count: 61)
                let end = WebSocketEvent.closed(WebSocketClose(code: 4000, reason: reason))
                try require(try await socket.receive(), is: end, "the reason has 122 bytes")
            }
        },
        Case("ws.too-large", "a message over the limit closes with 1009") { trial in
            try await trial.serving(.echo(limits: WebSocketLimits(messageBytes: 1000))) { authority, _ in
                let socket = try await trial.connect(authority)
                try await socket.send(binary: [UInt8](repeating: 1, count: 1000))
                try require(
                    try await socket.receive().byteCount,
                    is: 1000,
                    "a message of the limit comes back"
                )
                try await socket.send(binary: [UInt8](repeating: 1, count: 1001))
                let end = try await socket.receive()
                guard case .closed(let close) = end, close.code == 1009 else {
                    throw ConformanceFailure("one byte more closes with 1009", saw: "\(end)")
                }
            }
        },
        Case("ws.ping", "pings are answered both ways", needs: [.observation]) { trial in
            let (answers, continuation) = AsyncStream.makeStream(of: Bool.self)
            let server = ScriptedServer.session { socket in
                continuation.yield((try? await socket.ping(timeout: trial.harness.patience)) != nil)
                _ = try? await socket.receive()
            }
            try await trial.serving(server) { authority, _ in
                let socket = try await trial.connect(authority)
                try await socket.ping(timeout: trial.harness.patience)
                var iterator = answers.makeAsyncIterator()
                try require(await iterator.next(), is: true, "the client answers the server's ping")
                await socket.close(.normal)
            }
        },
        Case(
            "ws.ping-unread",
            "a ping behind the last message that there is room for is answered before that message is read",
            needs: [.observation]
        ) { trial in
            let (answers, continuation) = AsyncStream.makeStream(of: Bool.self)
            let server = ScriptedServer.session { socket in
                try? await socket.send(text: "unread")
                continuation.yield((try? await socket.ping(timeout: trial.harness.patience)) != nil)
                _ = try? await socket.receive()
            }
            try await trial.serving(server) { authority, _ in
                let socket = try await trial.connect(authority, limits: WebSocketLimits(bufferedMessages: 1))
                var iterator = answers.makeAsyncIterator()
                try require(await iterator.next(), is: true, "the client answers")
                try require(try await socket.receive(), is: .text("unread"), "the message is there")
                await socket.close(.normal)
            }
        },
        Case(
            "ws.dropped",
            "a socket that nobody holds any more is 1006 for the other side",
            needs: [.observation]
        ) { trial in
            let (events, continuation) = AsyncStream.makeStream(of: WebSocketEvent.self)
            let server = ScriptedServer.session { socket in
                if let event = try? await socket.receive() { continuation.yield(event) }
            }
            try await trial.serving(server) { authority, _ in
                _ = try await trial.connect(authority)
                var iterator = events.makeAsyncIterator()
                try require(await iterator.next(), is: .closed(.abnormal), "the server sees 1006")
            }
        },
        Case("ws.stopping", "a stopping listener closes with 1001", needs: [.observation]) { trial in
            let server = ScriptedServer.session { socket in _ = try? await socket.receive() }
            try await trial.serving(server) { authority, listener in
                let socket = try await trial.connect(authority)
                try await socket.ping(timeout: trial.harness.patience)
                async let stopped: Void = listener.stop()
                let end = try await socket.receive()
                await stopped
                guard case .closed(let close) = end, close.code == 1001 else {
                    throw ConformanceFailure("the client sees 1001", saw: "\(end)")
                }
            }
        },
        Case("ws.cancelled-receive", "a cancelled receive loses no message") { trial in
            try await trial.serving(.echo()) { authority, _ in
                let socket = try await trial.connect(authority)
                let waiting = Task { () async -> TransportError.Code? in
                    await failure { () throws(TransportError) in _ = try await socket.receive() }?.code
                }
                try await socket.ping(timeout: trial.harness.patience)
                waiting.cancel()
                try require(await waiting.value, is: .cancelled, "the receive ends")
                try await socket.send(text: "after")
                try require(
                    try await socket.receive(),
                    is: .text("after"),
                    "the next one gets the next message"
                )
                await socket.close(.normal)
            }
        },
    ]
}
