import FakeCamera
import Foundation
import HTTPTypes
import JPEG
import Lens
import LiveTransport
import Services
import Transport

/// Lens in a browser while it streams, beside a plain server in Python, which sends ready files at the same rate.
///
/// Measured are the preview's pictures in one tab, what each costs the program, and how soon actions are answered. The
/// reader of both is in this process. Our cost has everything that the program does meanwhile: it draws the camera's
/// pictures, encodes them, and streams some of them to the assistant, which is in the same process.
enum PagePreview {
    private static let seconds = 5.0
    private static let actions = 300

    private struct Failed: Error { var reason: String }

    static let benchmark = Benchmark(
        name: "page",
        summary: "the preview at 1280×720 in one tab while streaming, beside Motion JPEG from Python"
    ) { options in
        let rounds = options.rounds ?? 3
        let page = try PeerProcess(.page)
        let client = try LiveTransport()
        let tab = try Tab(page.address, client)
        try await tab.begin()
        let files = try await readyFiles()
        defer { try? FileManager.default.removeItem(at: files) }
        let python = try PeerProcess(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["python3", script.path, files.path],
            name: "Motion JPEG in Python"
        )
        var ours = Watched(), theirs = Watched()
        var middle = Samples(), late = Samples()
        for round in 0...rounds {
            async let answers = tab.act()
            let a = try await watch(tab.request("/frames"), client, page)
            let times = try await answers
            let b = try await watch(Tab.request("/", at: python.address), client, python)
            guard round > 0 else { continue }
            ours.add(a)
            theirs.add(b)
            middle.add(1000 * times[times.count / 2])
            late.add(1000 * times[times.count * 95 / 100])
        }
        let counts = try await tab.encodings()
        await tab.end()
        await client.shutdown()
        return [
            Finding("page.preview.rate", "pictures/s", ours.rate),
            Finding("page.preview.python.rate", "pictures/s", theirs.rate),
            Finding("page.preview.cost", "core ms/picture", ours.cost),
            Finding("page.preview.python.cost", "core ms/picture", theirs.cost),
            Finding("page.preview.ratio", "×", ours.cost.divided(by: theirs.cost)),
            Finding("page.preview.encodings", "encodings/picture", Samples([counts])),
            Finding("page.action.median", "ms", middle),
            Finding("page.action.p95", "ms", late),
        ]
    }

    /// Of several rounds.
    private struct Watched {
        var rate = Samples(), cost = Samples()

        mutating func add(_ figures: (rate: Double, cost: Double)) {
            rate.add(figures.rate)
            cost.add(figures.cost)
        }
    }

    /// Reads pictures, and says how many came a second, and the peer's core milliseconds for each.
    private static func watch(
        _ request: HTTPRequest,
        _ client: LiveTransport,
        _ peer: PeerProcess
    ) async throws -> (rate: Double, cost: Double) {
        let answer = try await client.send(request, body: .empty, timeout: .seconds(30))
        guard answer.head.status == .ok else { throw Failed(reason: "\(request.path ?? ""): \(answer.head)") }
        var count = 0
        var start: (wall: Double, core: Double)?
        var rest = Data()
        let mark = Data("Content-Type: image/jpeg".utf8)
        for try await chunk in try await answer.body.chunks() {
            rest += chunk
            count += rest.occurrences(of: mark)
            // What may be the beginning of a mark is looked at again.
            rest = Data(rest.suffix(mark.count - 1))
            let now = Elapsed.now(CLOCK_MONOTONIC)
            guard let begun = start else {
                (start, count) = ((now, peer.time), 0)
                continue
            }
            guard now - begun.wall >= seconds else { continue }
            return (Double(count) / (now - begun.wall), 1000 * (peer.time - begun.core) / Double(count))
        }
        throw Failed(reason: "the pictures ended")
    }

    // MARK: The page

    /// One tab, which also acts.
    private struct Tab {
        private let authority: String
        private let cookie: String
        private let client: LiveTransport
        private let socket = Socket()

        /// The socket, once there is one.
        private actor Socket {
            var open: (any WebSocket)?
            func set(_ socket: any WebSocket) { open = socket }
        }

        init(_ address: String, _ client: LiveTransport) throws {
            let parts = address.dropFirst("http://".count).split(separator: "/?token=")
            guard parts.count == 2, let port = parts[0].split(separator: ":").last else {
                throw Failed(reason: "no address: \(address)")
            }
            authority = String(parts[0])
            cookie = "lens-\(port)=\(parts[1])"
            self.client = client
        }

        static func request(_ path: String, at authority: String) -> HTTPRequest {
            HTTPRequest(method: .get, scheme: "http", authority: authority, path: path)
        }

        func request(_ path: String, scheme: String = "http") -> HTTPRequest {
            var request = Self.request(path, at: authority)
            request.scheme = scheme
            request.headerFields[.cookie] = cookie
            request.headerFields[.origin] = "http://\(authority)"
            return request
        }

        /// Opens the tab, and starts to stream.
        func begin() async throws {
            let open = try await client.connect(
                request("/socket", scheme: "ws"),
                limits: WebSocketLimits(),
                timeout: .seconds(10)
            )
            await socket.set(open)
            try await open.send(text: #"{"hello":{}}"#)
            try await perform(#"{"id":1000,"screen":"stream","action":{"start":{}}}"#, id: 1000, on: open)
        }

        func end() async { await socket.open?.close(.normal) }

        /// Seconds of actions until they were answered, in ascending order.
        func act() async throws -> [Double] {
            guard let open = await socket.open else { throw Failed(reason: "no socket") }
            var times: [Double] = []
            for id in 1...actions {
                let action = #"{"id":\#(id),"screen":"chat","action":{"setInput":{"_0":"text \#(id)"}}}"#
                let begun = Elapsed.now(CLOCK_MONOTONIC)
                try await perform(action, id: id, on: open)
                times.append(Elapsed.now(CLOCK_MONOTONIC) - begun)
                try await Task.sleep(for: .milliseconds(10))
            }
            return times.sorted()
        }

        private func perform(_ action: String, id: Int, on socket: any WebSocket) async throws {
            try await socket.send(text: action)
            while case .text(let text) = try await socket.receive() {
                if text.contains("\"id\":\(id),") || text.contains("\"id\":\(id)}") {
                    guard text.contains("\"ok\"") else { throw Failed(reason: text) }
                    return
                }
            }
            throw Failed(reason: "the socket was closed")
        }

        /// How often each picture was encoded.
        func encodings() async throws -> Double {
            let answer = try await client.send(request("/encodings"), body: .empty, timeout: .seconds(10))
            let text = String(decoding: try await answer.body.collect(upTo: 100), as: UTF8.self)
            let counts = text.split(separator: " ").compactMap { Double($0) }
            guard counts.count == 2, counts[1] > 0 else { throw Failed(reason: "no counts: \(text)") }
            return counts[0] / counts[1]
        }
    }

    // MARK: The peer

    private static var script: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Peers/mjpeg/serve.py").standardized
    }

    /// A second of the same scene as files, in a folder that the caller removes.
    private static func readyFiles() async throws -> URL {
        let camera = FakeCamera(
            FakeCamera.Configuration(size: ServedPage.size, framesPerSecond: 30, scene: .shapes(detail: 0.2))
        )
        let encoder = try JPEGFrameEncoder()
        let folder = FileManager.default.temporaryDirectory.appending(path: "mjpeg-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for number in 0..<30 {
            let jpeg = try await encoder.encode(camera.frame(number))
            try Data(jpeg).write(to: folder.appending(path: "\(10 + number).jpeg"))
        }
        return folder
    }
}

extension Data {
    /// How often some bytes stand in it.
    fileprivate func occurrences(of pattern: Data) -> Int {
        var (count, place) = (0, startIndex)
        while let range = self[place...].range(of: pattern) {
            count += 1
            place = range.upperBound
        }
        return count
    }
}
