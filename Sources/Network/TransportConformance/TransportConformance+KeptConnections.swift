import Conformance
import HTTPTypes
import TestSupport
import Transport

extension TransportConformance {
    /// What clients may not make of the connections that they keep.
    static let keptConnections: [Case] = [
        Case("http.kept.sequence", "requests one after another each get their own answer, whatever its form")
        { trial in
            let server = ScriptedServer(answer: { request, body in
                let path = request.path ?? ""
                switch request.method {
                case .delete: return (HTTPResponse(status: .noContent), .empty)
                // Answered before the body is read.
                case .put: return (HTTPResponse(status: .ok), .text(path))
                default:
                    let sent = (try? await body.collect(upTo: 100_000)) ?? []
                    return (HTTPResponse(status: .ok), .text("\(path) \(sent.count)"))
                }
            })
            try await trial.serving(server) { authority, _ in
                for round in 0..<5 {
                    for (method, body, answer) in [
                        (HTTPRequest.Method.get, HTTPBody.empty, "/\(round) 0"),
                        (.delete, .empty, ""), (.head, .empty, ""),
                        (.post, .bytes([UInt8](repeating: 7, count: 70_000)), "/\(round) 70000"),
                        (.put, .bytes([UInt8](repeating: 7, count: 1000)), "/\(round)"),
                        (.post, .stream(.once([1, 2, 3]), length: nil), "/\(round) 3"),
                    ] {
                        let (_, received) = try await trial.send(method, authority, "/\(round)", body: body)
                        let text = String(decoding: try await received.collect(upTo: 1000), as: UTF8.self)
                        try require(text, is: answer, "the answer to \(method) is its own")
                    }
                    // An answer that is not read to its end is in nobody's way.
                    _ = try await trial.send(.get, authority, "/unread")
                }
            }
        },
        Case(
            "http.kept.restart",
            "after a restart of the server what is idempotent succeeds, also where a connection was kept",
            needs: [.observation]
        ) { trial in
            let first = try await trial.harness.host.listen(
                ScriptedServer.answering { _, _ in .text("first") },
                at: trial.harness.address
            )
            let address = first.address
            let before = try await trial.send(.get, "\(address)")
            try require(try await before.body.collect(upTo: 10), is: Array("first".utf8), "the first answers")
            await first.stop()
            let second = try await trial.harness.host.listen(
                ScriptedServer.answering { _, _ in .text("second") },
                at: address
            )
            do {
                let after = try await trial.send(.get, "\(address)")
                try require(
                    try await after.body.collect(upTo: 10),
                    is: Array("second".utf8),
                    "the second answers"
                )
            } catch {
                await second.stop()
                throw error
            }
            await second.stop()
        },
    ]
}
