import Conformance
import HTTPTypes
import TestSupport
import Transport

extension TransportConformance {
    /// How WebSockets end, and how they are refused.
    static let webSocketEndings: [Case] = [
        Case("ws.end-after-messages", "what came before the end is received after it") { trial in
            let server = ScriptedServer.session { socket in
                for number in 0..<100 { try? await socket.send(text: "\(number)") }
                await socket.close(WebSocketClose(code: 1008, reason: "policy"))
            }
            try await trial.serving(server) { authority, _ in
                let socket = try await trial.connect(authority)
                // The answer to it can only come before the end: afterwards nothing is sent any more.
                try? await socket.ping(timeout: trial.harness.patience)
                for number in 0..<100 {
                    try require(
                        try await socket.receive(),
                        is: .text("\(number)"),
                        "message \(number) is received"
                    )
                }
                let end = WebSocketEvent.closed(WebSocketClose(code: 1008, reason: "policy"))
                try require(try await socket.receive(), is: end, "then comes the close with its reason")
            }
        },
        Case("ws.slow-reader", "a slow reader gets every message and the close") { trial in
            let server = ScriptedServer.session { socket in
                for number in 0..<50 {
                    try? await socket.send(
                        binary: [UInt8](repeating: UInt8(number), count: 10_000)
                    )
                }
                await socket.close(WebSocketClose(code: 4000, reason: "done"))
            }
            try await trial.serving(server) { authority, _ in
                let limits = WebSocketLimits(bufferedMessages: 2, bufferedBytes: 15_000)
                let socket = try await trial.connect(authority, limits: limits)
                for number in 0..<50 {
                    let expected = WebSocketEvent.binary([UInt8](repeating: UInt8(number), count: 10_000))
                    let message = try await socket.receive()
                    try require(message == expected, "message \(number) is whole", saw: "\(message)")
                }
                let end = WebSocketEvent.closed(WebSocketClose(code: 4000, reason: "done"))
                try require(try await socket.receive(), is: end, "then comes the close")
            }
        },
        Case("ws.client-cuts", "a client that closes with 1006 cuts the connection", needs: [.observation]) {
            trial in
            let events = Box<[WebSocketEvent]>([])
            let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
            let server = ScriptedServer.session { socket in
                while let event = try? await socket.receive() {
                    events.append(event)
                    if case .closed = event { break }
                }
                continuation.yield()
            }
            try await trial.serving(server) { authority, _ in
                let socket = try await trial.connect(authority)
                try await socket.send(text: "one")
                try await socket.ping(timeout: trial.harness.patience)
                await socket.close(.abnormal)
                try require(try await socket.receive(), is: .closed(.abnormal), "the client's side has 1006")
                try await requireFailure([.reset], "nothing can be sent any more") {
                    try await socket.send(text: "late")
                }
                try await requireFailure([.reset], "nor a ping") {
                    try await socket.ping(timeout: .seconds(1))
                }
                var iterator = ends.makeAsyncIterator()
                _ = await iterator.next()
                try require(
                    events.value,
                    is: [.text("one"), .closed(.abnormal)],
                    "the server's side has 1006 too"
                )
            }
        },
        Case("ws.server-cuts", "a server that closes with 1006 cuts the connection") { trial in
            try await trial.serving(.session { await $0.close(.abnormal) }) { authority, _ in
                let socket = try await trial.connect(authority)
                for _ in 1...2 {
                    try require(try await socket.receive(), is: .closed(.abnormal), "the client has 1006")
                }
            }
        },
        Case("ws.cut-while-receiving", "a cut ends a receive that waits") { trial in
            let server = ScriptedServer.session { socket in
                _ = try? await socket.receive()
                _ = try? await socket.receive()
            }
            try await trial.serving(server) { authority, _ in
                let socket = try await trial.connect(authority)
                async let event = socket.receive()
                try await socket.ping(timeout: trial.harness.patience)
                await socket.close(.abnormal)
                try require(try await event, is: .closed(.abnormal), "the receive that waited has 1006")
            }
        },
        Case(
            "ws.cancelled-close",
            "a close in a cancelled task sends its code and waits for nothing",
            needs: [.observation]
        ) { trial in
            let (events, continuation) = AsyncStream.makeStream(of: WebSocketEvent.self)
            let server = ScriptedServer.session { socket in
                if let event = try? await socket.receive() { continuation.yield(event) }
            }
            try await trial.serving(server) { authority, _ in
                let socket = try await trial.connect(authority)
                let closing = Task {
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                    await socket.close(WebSocketClose(code: 4002, reason: "in a hurry"))
                }
                await closing.value
                let end = WebSocketEvent.closed(WebSocketClose(code: 4002, reason: "in a hurry"))
                var iterator = events.makeAsyncIterator()
                try require(await iterator.next(), is: end, "the server gets the close")
                try require(try await socket.receive(), is: end, "the client's side ends with it")
            }
        },
        Case(
            "ws.send-at-the-end",
            "a send that waits for room ends when both sides close",
            needs: [.observation]
        ) { trial in
            let (permission, closing) = AsyncStream.makeStream(of: Void.self)
            let server = ScriptedServer.session(limits: WebSocketLimits(bufferedMessages: 2)) { socket in
                for await _ in permission { break }
                await socket.close(.normal)
            }
            try await trial.serving(server) { authority, _ in
                defer { closing.yield() }
                let socket = try await trial.connect(authority)
                let message = [UInt8](repeating: 1, count: 256 * 1024)
                var isFull = false
                for _ in 0..<200 where !isFull {
                    isFull = await send(message, on: socket, within: .milliseconds(200)) == .cancelled
                }
                try require(isFull, is: true, "sends to a peer that does not read wait")
                async let waiting = send(message, on: socket, within: trial.harness.patience)
                async let closed: Void = socket.close(.normal)
                try await Task.sleep(for: .milliseconds(50))
                closing.yield()
                let code = await waiting
                await closed
                guard let code, code != .cancelled else {
                    throw ConformanceFailure("the send that waited fails", saw: "\(code, default: "success")")
                }
            }
        },
        Case("ws.client-close-codes", "each close code of a client arrives", needs: [.observation]) { trial in
            let (events, continuation) = AsyncStream.makeStream(of: WebSocketEvent.self)
            let server = ScriptedServer.session { socket in
                if let event = try? await socket.receive() { continuation.yield(event) }
            }
            try await trial.serving(server) { authority, _ in
                var iterator = events.makeAsyncIterator()
                for close in closes {
                    let socket = try await trial.connect(authority)
                    await socket.close(close)
                    try require(
                        await iterator.next(),
                        is: .closed(close),
                        "the server gets \(close.code)"
                    )
                    try require(try await socket.receive(), is: .closed(close), "so does the client")
                }
            }
        },
        Case("ws.server-close-codes", "each close code of a server arrives") { trial in
            let server = ScriptedServer.session { socket in
                guard case .text(let index)? = try? await socket.receive(), let place = Int(index) else {
                    return
                }
                await socket.close(closes[place])
            }
            try await trial.serving(server) { authority, _ in
                for (index, close) in closes.enumerated() {
                    let socket = try await trial.connect(authority)
                    try await socket.send(text: "\(index)")
                    try require(
                        try await socket.receive(),
                        is: .closed(close),
                        "the client gets \(close.code)"
                    )
                }
            }
        },
        Case("ws.unsendable-close-codes", "of a close code that may not be sent nothing is sent") { trial in
            let server = ScriptedServer.session { socket in
                guard case .text(let code)? = try? await socket.receive(), let code = UInt16(code) else {
                    return
                }
                await socket.close(WebSocketClose(code: code, reason: "not sent"))
            }
            try await trial.serving(server) { authority, _ in
                for code: UInt16 in [0, 999, 1004, 1005, 1015, 1016, 2000, 2999, 5000, 65_535] {
                    let socket = try await trial.connect(authority)
                    try await socket.send(text: "\(code)")
                    let end = WebSocketEvent.closed(WebSocketClose(code: 1005))
                    try require(try await socket.receive(), is: end, "\(code) is an empty close frame")
                }
            }
        },
        Case("ws.refusal-body", "a refused handshake has the server's words") { trial in
            let words = #"{"error": "API key not valid. Please pass a valid API key."}"#
            let server = ScriptedServer(decide: { _ in
                .refuse(HTTPResponse(status: .badRequest), .text(words))
            })
            try await trial.serving(server) { authority, _ in
                let error = try await requireFailure([.upgradeRefused], "the handshake fails") {
                    _ = try await trial.connect(authority)
                }
                try require(error.status, is: 400, "the error has the status")
                try require(
                    String(decoding: error.body, as: UTF8.self),
                    is: words,
                    "the error has the answer's body"
                )
                try require(
                    !error.description.contains("API key"),
                    "the description, which may be logged, does not repeat it",
                    saw: error.description
                )
            }
        },
        Case("ws.refusal-wait", "a refused handshake says how long the server asks to wait") { trial in
            let server = ScriptedServer(decide: { request in
                var head = HTTPResponse(status: .tooManyRequests)
                head.headerFields[.retryAfter] = request.path == "/never" ? nil : "34"
                return .refuse(head, .empty)
            })
            try await trial.serving(server) { authority, _ in
                for (path, wait) in [("/", Duration.seconds(34)), ("/never", nil)] {
                    let error = try await requireFailure([.upgradeRefused], "the handshake fails") {
                        _ = try await trial.connect(authority, path)
                    }
                    try require(error.retryAfter, is: wait, "the error has the wait")
                }
            }
        },
        Case("ws.refusal-body-limit", "of a long refusal only the beginning is kept") { trial in
            let server = ScriptedServer(decide: { _ in
                .refuse(HTTPResponse(status: .forbidden), .bytes([UInt8](repeating: 0x61, count: 1_000_000)))
            })
            try await trial.serving(server) { authority, _ in
                let error = try await requireFailure([.upgradeRefused], "the handshake fails") {
                    _ = try await trial.connect(authority)
                }
                try require(error.body.count, is: 16_384, "16 KiB are kept")
            }
        },
        Case("ws.connect-timeout", "a server that does not answer a handshake times out") { trial in
            let server = ScriptedServer(decide: { _ in
                try? await Task.sleep(for: .seconds(1000))
                return .refuse(HTTPResponse(status: .forbidden), .empty)
            })
            try await trial.serving(server) { authority, _ in
                try await requireFailure([.timedOut], "the handshake fails") {
                    _ = try await trial.connect(authority, timeout: .milliseconds(200))
                }
            }
        },
    ]

    /// One of each kind that may be sent: without a code, registered, of a library, of an application; short and long reasons.
    private static let closes: [WebSocketClose] =
        [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000].map {
            WebSocketClose(code: $0, reason: "code \($0)")
        } + [
            WebSocketClose(code: 1005), WebSocketClose(code: 4999),
            WebSocketClose(code: 4100, reason: String(repeating: "€", count: 41)),
        ]
}
