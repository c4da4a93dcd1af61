import Conformance
import HTTPTypes
import TestSupport
import Transport

extension TransportConformance {
    /// Requests and answers.
    static let http: [Case] = [
        Case("http.stream", "a body streams up and down") { trial in
            let server = ScriptedServer.answering { _, body in
                guard case .stream(let stream, _) = body else { return .text("no stream") }
                return .stream(stream, length: nil)
            }
            try await trial.serving(server) { authority, _ in
                let sent = [UInt8].pattern(150_000)
                let (head, body) = try await trial.send(.post, authority, body: .bytes(sent))
                try require(head.status.code, is: 200, "the answer is the server's")
                let received = try await body.collect(upTo: 1_000_000)
                try require(received == sent, "the body comes back unchanged", saw: "\(received.count) bytes")
            }
        },
        Case("http.framing", "length, HEAD and 204 are framed") { trial in
            let server = ScriptedServer(answer: { request, body in
                let size = (try? await body.collect(upTo: 100).count) ?? -1
                let seen = "\(request.headerFields[.contentLength] ?? "none") \(size)"
                return request.path == "/empty"
                    ? (HTTPResponse(status: .noContent), .text("never sent"))
                    : (HTTPResponse(status: .ok), .text(seen))
            })
            try await trial.serving(server) { authority, _ in
                let (head, body) = try await trial.send(.put, authority, body: .text("12345"))
                try require(head.headerFields[.contentLength], is: "3", "an answer has its length")
                let seen = try await body.collect(upTo: 100)
                try require(String(decoding: seen, as: UTF8.self), is: "5 5", "a request has its length")
                let asked = try await trial.send(.head, authority)
                try require(asked.head.headerFields[.contentLength], is: "6", "HEAD tells the length")
                let none = try await asked.body.collect(upTo: 100)
                try require(none, is: [], "HEAD has no body")
                let empty = try await trial.send(.get, authority, "/empty")
                try require(empty.head.status.code, is: 204, "the status is the server's")
                let nothing = try await empty.body.collect(upTo: 100)
                try require(nothing, is: [], "204 has no body, whatever the server gives")
            }
        },
        Case("http.short", "a body shorter than its length breaks the answer") { trial in
            let server = ScriptedServer.answering { _, _ in
                let given = Box(0)
                let stream = ByteStream { () async throws(TransportError) in
                    given.increment()
                    return given.value == 1 ? [1, 2, 3] : nil
                }
                return .stream(stream, length: 10)
            }
            try await trial.serving(server) { authority, _ in
                try await requireFailure([.reset], "three bytes of ten are no whole answer") {
                    _ = try await trial.send(.get, authority).body.collect(upTo: 100)
                }
            }
        },
        Case("http.refused", "a port where nobody listens any more is refused") { trial in
            try await trial.serving(.echo()) { authority, listener in
                await listener.stop()
                try await requireFailure([.refused], "a request is refused") {
                    _ = try await trial.send(.get, authority)
                }
                try await requireFailure([.refused], "a WebSocket is refused") {
                    _ = try await trial.connect(authority)
                }
            }
        },
        Case("http.unknown-name", "an unknown name is unreachable") { trial in
            // RFC 6761 reserves .invalid.
            try await requireFailure([.unreachable], "a name that nobody has is unreachable") {
                _ = try await trial.send(.get, "nobody.invalid")
            }
        },
        Case("http.silence", "a silent server times out") { trial in
            let server = ScriptedServer.answering { _, _ in
                try? await Task.sleep(for: .seconds(1000))
                return .empty
            }
            try await trial.serving(server) { authority, _ in
                try await requireFailure([.timedOut], "the request ends") {
                    _ = try await trial.send(.get, authority, timeout: .milliseconds(100))
                }
            }
        },
        Case("http.abandoned", "an abandoned request cancels the server's task", needs: [.observation]) {
            trial in
            let (steps, continuation) = AsyncStream.makeStream(of: String.self)
            let server = ScriptedServer.answering { _, _ in
                continuation.yield("begun")
                do { try await Task.sleep(for: .seconds(1000)) } catch { continuation.yield("cancelled") }
                return .empty
            }
            try await trial.serving(server) { authority, _ in
                let request = Task { () async -> TransportError.Code? in
                    await failure { () throws(TransportError) in _ = try await trial.send(.get, authority) }?
                        .code
                }
                var iterator = steps.makeAsyncIterator()
                try require(await iterator.next(), is: "begun", "the server is asked")
                request.cancel()
                try require(await request.value, is: .cancelled, "the caller's request ends")
                try require(await iterator.next(), is: "cancelled", "the server's task is cancelled")
            }
        },
    ]
}
