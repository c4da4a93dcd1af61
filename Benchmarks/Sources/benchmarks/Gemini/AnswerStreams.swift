import Foundation
import GeminiServer

/// Streamed answers of a core second of a server: `GeminiServer`, and stubllm (PyPI), which has a Gemini interface too.
///
/// Both answer `streamGenerateContent` with the same 46 pieces of text and no pauses, over eight connections that are
/// kept. Every piece has to come as an event of its own. The client is the same for both: plain sockets.
enum AnswerStreams {
    private static let connections = 8
    private static let turns = 50

    /// What is said; stubllm cuts after four characters or a blank, so that every word is a piece.
    private static let text = """
        The cat saw the dog and the dog saw the cat and all the men saw the cat and the dog run off. One day the old \
        man sat and ate his pie. Now the sun was low and the sea was red.
        """

    /// The pieces of the text: words with the blank after them, of at most four characters.
    static var pieces: [String] {
        var pieces: [String] = []
        var piece = ""
        for character in text {
            piece.append(character)
            if character == " " || piece.count == 4 {
                pieces.append(piece)
                piece = ""
            }
        }
        return piece.isEmpty ? pieces : pieces + [piece]
    }

    static let benchmark = Benchmark(
        name: "gemini.streams",
        summary: "streamed REST answers of a core second of the server, beside stubllm"
    ) { options in
        let ours = try PeerProcess(.geminiWords)
        let unit = "answers/core s"
        guard let python = PythonPeer.find(options.python) else {
            return [
                Finding("gemini.streams.stubllm", unit, skipped: PythonPeer.missing),
                Finding("gemini.streams.ratio", "×", skipped: PythonPeer.missing),
            ]
        }
        let fixtures = FileManager.default.temporaryDirectory.appending(
            path: "stubllm-\(UUID().uuidString).yaml"
        )
        try fixture.write(to: fixtures, atomically: false, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: fixtures) }
        let stubllm = try PeerProcess(python, "stubllm_server.py", [fixtures.path], name: "stubllm")
        let (a, b) = (try RawAnswers(ours.port, connections), try RawAnswers(stubllm.port, connections))
        let (mine, theirs) = try await alternate(
            rounds: options.rounds ?? 7,
            { try a.rate(of: ours, turns: turns) },
            { try b.rate(of: stubllm, turns: turns) }
        )
        return [
            Finding("gemini.streams.ours", unit, mine), Finding("gemini.streams.stubllm", unit, theirs),
            Finding("gemini.streams.ratio", "×", mine.divided(by: theirs)),
        ]
    }

    private static var fixture: String {
        """
        fixtures:
          - name: "answer"
            match:
              provider: gemini
            response:
              stream_chunk_delay_ms: 0
              content: "\(text)"
        """
    }
}

/// Connections that ask for the streamed answer again and again, and read it whole.
private struct RawAnswers {
    private struct Failed: Error { var reason: String }

    private let sockets: [RawSocket]
    private let request: [UInt8]

    init(_ port: UInt16, _ count: Int) throws {
        sockets = try (0..<count).map { _ in
            let socket = try RawSocket(.stream)
            try socket.connect(to: port)
            socket.limitWaiting(seconds: 60)
            return socket
        }
        let body = #"{"contents":[{"role":"user","parts":[{"text":"Say something."}]}]}"#
        request = Array(
            """
            POST /v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            x-goog-api-key: benchmark\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """.utf8
        )
    }

    /// Answers of a core second of the server, while each connection asks again as soon as it has its answer.
    ///
    /// What came is looked at when all is done: a client that works between two answers would have the server's caches.
    func rate(of peer: PeerProcess, turns: Int) throws -> Double {
        var answers = sockets.map { _ in Answers(left: turns) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let start = peer.time
        for socket in sockets { try ask(socket) }
        while answers.contains(where: { $0.left > 0 }) {
            let ready = RawSocket.awaitReadable(sockets)
            guard !ready.isEmpty else { throw Failed(reason: "an answer does not end") }
            for index in ready {
                let count = sockets[index].read(into: &buffer)
                guard count > 0 else { throw Failed(reason: "an answer does not end") }
                if answers[index].take(buffer[..<count]), answers[index].left > 0 { try ask(sockets[index]) }
            }
        }
        let seconds = peer.time - start
        for answer in answers.flatMap(\.whole) { try check(answer) }
        return Double(turns * sockets.count) / seconds
    }

    private func ask(_ socket: RawSocket) throws {
        guard socket.write(request[...]) else { throw Failed(reason: "a request was not taken") }
    }

    /// What a connection has answered.
    private struct Answers {
        private static let end = Array("\r\n0\r\n\r\n".utf8)

        /// How many are still to come.
        var left: Int
        var whole: [[UInt8]] = []
        private var begun: [UInt8] = []

        init(left: Int) { self.left = left }

        /// Takes what came, and returns whether an answer ended with it; answers are in chunks of HTTP.
        mutating func take(_ bytes: ArraySlice<UInt8>) -> Bool {
            begun += bytes
            guard begun.suffix(Self.end.count) == Self.end[...] else { return false }
            whole.append(begun)
            begun = []
            left -= 1
            return true
        }
    }

    private func check(_ answer: [UInt8]) throws {
        let text = String(decoding: answer, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 200 ") else { throw Failed(reason: String(text.prefix(500))) }
        let pieces = text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("data: ") }
        let said = zip(pieces, AnswerStreams.pieces).allSatisfy { event, piece in
            event.contains("\"text\":\"\(piece)\"") || event.contains("\"text\": \"\(piece)\"")
        }
        guard said, pieces.count == AnswerStreams.pieces.count else {
            throw Failed(reason: "other events: \(pieces.count) of \(AnswerStreams.pieces.count)")
        }
    }
}
