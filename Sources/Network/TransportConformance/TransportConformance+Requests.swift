import Conformance
import HTTPTypes
import TestSupport
import Transport

extension TransportConformance {
    /// How long requests may stand still, how far they came, and what is sent again.
    static let requests: [Case] = [
        Case("http.progress.upload", "an upload that moves takes longer than any one limit") { trial in
            let server = ScriptedServer.answering { _, body in
                var (count, read) = (0, 0)
                guard var chunks = try? await body.chunks().makeAsyncIterator() else {
                    return .text("broken")
                }
                while let chunk = try? await chunks.next() {
                    count += chunk.count
                    read += chunk.count
                    guard read >= 60_000 else { continue }
                    // 6 MB a second, however large the chunks are.
                    try? await Task.sleep(for: .microseconds(read / 6))
                    read = 0
                }
                return .text("\(count)")
            }
            try await trial.serving(server) { authority, _ in
                let start = ContinuousClock.now
                let (_, body) = try await trial.send(
                    .put,
                    authority,
                    body: .bytes([UInt8](repeating: 7, count: 24 << 20)),
                    limits: trial.limits(progress: .seconds(3))
                )
                let answer = try await body.collect(upTo: 100)
                try require(String(decoding: answer, as: UTF8.self), is: "\(24 << 20)", "all of it arrives")
                let taken = ContinuousClock.now - start
                try require(taken > .seconds(3), "it takes longer than the limit", saw: "\(taken)")
            }
        },
        Case("http.progress.stall", "an upload that nobody reads times out as sent") { trial in
            let server = ScriptedServer.answering { _, body in
                try? await Task.sleep(for: trial.harness.patience)
                return .empty
            }
            try await trial.serving(server) { authority, _ in
                let error = try await requireFailure([.timedOut], "the upload is given up") {
                    let body = HTTPBody.bytes([UInt8](repeating: 7, count: 32 << 20))
                    _ = try await trial.send(
                        .post,
                        authority,
                        body: body,
                        limits: trial.limits(progress: .seconds(1))
                    )
                }
                try require(error.reach, is: .sent, "it may have taken effect")
            }
        },
        Case("http.progress.slow-source", "a body that is made slowly is no reason to give up") { trial in
            let server = ScriptedServer.answering { _, body in
                .text("\((try? await body.collect(upTo: 1000).count) ?? -1)")
            }
            try await trial.serving(server) { authority, _ in
                let (_, body) = try await trial.send(
                    .post,
                    authority,
                    body: slowBody(every: .milliseconds(2500), count: 2),
                    limits: trial.limits(progress: .seconds(2))
                )
                let answer = try await body.collect(upTo: 100)
                try require(String(decoding: answer, as: UTF8.self), is: "6", "all of it arrives")
            }
        },
        Case("http.reach.refused", "a refused request was not sent") { trial in
            try await trial.serving(.echo()) { authority, listener in
                await listener.stop()
                let error = try await requireFailure([.refused], "nobody listens") {
                    _ = try await trial.send(.post, authority, body: .text("x"))
                }
                try require(error.reach, is: .notSent, "nothing has left")
            }
        },
        Case("http.reach.silent", "a request that is not answered was sent") { trial in
            let server = ScriptedServer.answering { _, _ in
                try? await Task.sleep(for: trial.harness.patience)
                return .empty
            }
            try await trial.serving(server) { authority, _ in
                let error = try await requireFailure([.timedOut], "no answer comes") {
                    _ = try await trial.send(
                        .post,
                        authority,
                        body: .text("x"),
                        limits: trial.limits(head: .seconds(1))
                    )
                }
                try require(error.reach, is: .sent, "it may have taken effect")
            }
        },
        Case("http.reach.answered", "an answer that breaks off was begun") { trial in
            let server = ScriptedServer.answering { _, body in
                // What is left unread would be answered with a reset, which may overtake the answer.
                _ = try? await body.collect(upTo: 10)
                let given = Box(0)
                let stream = ByteStream { () async throws(TransportError) in
                    given.increment()
                    if given.value == 1 { return [1, 2, 3] }
                    throw TransportError(.reset, operation: "make body", peer: "test")
                }
                return .stream(stream, length: 10)
            }
            try await trial.serving(server) { authority, _ in
                let error = try await requireFailure([.reset], "the body breaks off") {
                    _ = try await trial.send(.post, authority, body: .text("x")).body.collect(upTo: 100)
                }
                try require(error.reach, is: .answered, "the answer was begun")
            }
        },
        Case("http.body.repeatable", "a body that can be read again is sent twice alike") { trial in
            let server = ScriptedServer.answering { _, body in
                .bytes((try? await body.collect(upTo: 1 << 20)) ?? [])
            }
            try await trial.serving(server) { authority, _ in
                let bytes = [UInt8].pattern(100_000)
                let body = HTTPBody.repeatable(length: bytes.count) { .once(bytes) }
                for _ in 0..<2 {
                    let (_, answer) = try await trial.send(.put, authority, body: body)
                    let received = try await answer.collect(upTo: 1 << 20)
                    try require(received == bytes, "the body arrives whole", saw: "\(received.count) bytes")
                }
            }
        },
        Case("http.body.broken-source", "a body that fails ends the request with its error") { trial in
            let server = ScriptedServer.answering { _, body in
                _ = try? await body.collect(upTo: 1000)
                return .empty
            }
            try await trial.serving(server) { authority, _ in
                let stream = ByteStream { () async throws(TransportError) in
                    throw TransportError(.tooLarge, operation: "make body", peer: "test")
                }
                try await requireFailure([.tooLarge], "the reason is the body's") {
                    _ = try await trial.send(.post, authority, body: .stream(stream, length: nil))
                }
            }
        },
        Case("http.body.abandoned", "an abandoned request cancels its body") { trial in
            let server = ScriptedServer.answering { _, body in
                _ = try? await body.collect(upTo: 1000)
                return .empty
            }
            try await trial.serving(server) { authority, _ in
                let (steps, continuation) = AsyncStream.makeStream(of: String.self)
                let stream = ByteStream { () async throws(TransportError) in
                    continuation.yield("asked")
                    do {
                        // Bounds a failure of this case: the cancellation comes as soon as the body is asked.
                        try await Task.sleep(for: .seconds(60))
                    } catch {
                        continuation.yield("cancelled")
                        throw TransportError(.cancelled, operation: "make body", peer: "test")
                    }
                    continuation.yield("made")
                    return nil
                }
                let request = Task { () async -> TransportError.Code? in
                    await failure { () throws(TransportError) in
                        _ = try await trial.send(.post, authority, body: .stream(stream, length: nil))
                    }?.code
                }
                var iterator = steps.makeAsyncIterator()
                try require(await iterator.next(), is: "asked", "the body is asked for a chunk")
                request.cancel()
                try require(await request.value, is: .cancelled, "the caller's request ends")
                try require(await iterator.next(), is: "cancelled", "the body is cancelled")
            }
        },
        Case("http.early", "an answer that comes before the body was read is received") { trial in
            let server = ScriptedServer(answer: { _, _ in
                (HTTPResponse(status: .contentTooLarge), .text("no"))
            })
            try await trial.serving(server) { authority, _ in
                let large = HTTPBody.bytes([UInt8](repeating: 1, count: 8 << 20))
                let (head, body) = try await trial.send(.post, authority, body: large)
                try require(head.status.code, is: 413, "the answer is the server's")
                let answer = try await body.collect(upTo: 10)
                try require(String(decoding: answer, as: UTF8.self), is: "no", "its body is whole")
            }
        },
        Case("http.date", "every answer has a date, the server's own where it gives one") { trial in
            let own = "Sun, 06 Nov 1994 08:49:37 GMT"
            let server = ScriptedServer(answer: { request, _ in
                var head = HTTPResponse(status: request.path == "/204" ? .noContent : .ok)
                if request.path == "/own" { head.headerFields[.date] = own }
                return (head, .empty)
            })
            try await trial.serving(server) { authority, _ in
                for path in ["/", "/204"] {
                    let date = try await trial.send(.get, authority, path).head.headerFields[.date] ?? "none"
                    try require(date.count == 29 && date.hasSuffix(" GMT"), "it is a date", saw: date)
                }
                let (head, _) = try await trial.send(.get, authority, "/own")
                try require(head.headerFields[.date], is: own, "the server's own date stays")
            }
        },
        Case("http.secrets", "no error repeats a query, or the user and password of an authority") { trial in
            try await trial.serving(.echo()) { authority, listener in
                await listener.stop()
                let error = try await requireFailure([.refused], "nobody listens") {
                    _ = try await trial.send(.get, "admin:hunter2@\(authority)", "/a?key=hunter2")
                }
                let text = "\(error)"
                try require(
                    !text.contains("hunter2") && !text.contains("admin"),
                    "nothing secret is in it",
                    saw: text
                )
                try require(text.contains("/a"), "the path is in it", saw: text)
            }
        },
    ]
}
