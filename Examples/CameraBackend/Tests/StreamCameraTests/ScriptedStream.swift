import FakeCamera
import HTTPTypes
import Services
import Synchronization
import Transport

/// A camera that answers with pictures without end.
///
/// What it models: one path, a login, header fields of parts with and without a length, pieces that end anywhere, a device that is slow
/// to answer, one that breaks off, and one that is off.
///
/// What it does not model: the rate that a slow network allows, several sizes, cameras that write their boundary in another way. Compared
/// with no real camera.
final class ScriptedStream: Server {
    /// How cameras differ.
    enum Form: CaseIterable {
        /// Each part has its length.
        case lengths
        /// The boundary alone ends a part.
        case boundaries
    }

    static let login = "admin:sesame-7"

    private struct State {
        var isOn = true
        var open = 0
    }

    private let form: Form
    private let answersAfter: Duration
    private let state = Mutex(State())

    init(_ form: Form, answersAfter: Duration = .zero) {
        (self.form, self.answersAfter) = (form, answersAfter)
    }

    /// Answers that are being given.
    var openCount: Int { state.withLock(\.open) }

    /// Takes or gives power: without it, answers break off.
    func setPower(_ isOn: Bool) { state.withLock { $0.isOn = isOn } }

    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        try? await Task.sleep(for: answersAfter)
        guard request.path == "/stream" else { return (HTTPResponse(status: .notFound), .empty) }
        guard request.headerFields[.authorization] == "Basic YWRtaW46c2VzYW1lLTc=" else {
            return (HTTPResponse(status: .unauthorized), .text("no: \(request.headerFields)"))
        }
        let answer = OpenAnswer(self)
        let stream = ByteStream { () async throws(TransportError) in try await answer.next() }
        let type = "multipart/x-mixed-replace; boundary=frame"
        return (
            HTTPResponse(status: .ok, headerFields: [.contentType: type]), .stream(stream, length: nil)
        )
    }

    /// Pictures of a drawn camera.
    private static let pictures: [[UInt8]] = {
        let camera = FakeCamera(.init(size: PixelSize(width: 160, height: 96), format: .jpeg(quality: 60)))
        return (0..<8).compactMap { number in
            if case .jpeg(let file) = camera.frame(number * 5).content { file } else { nil }
        }
    }()

    /// An answer that is being given until nobody holds its body any more.
    private final class OpenAnswer: Sendable {
        private let camera: ScriptedStream
        private let number = Mutex(0)
        /// What of the present part was not sent yet.
        private let rest = Mutex<[UInt8]>([])
        private let pieces = Mutex(0)

        init(_ camera: ScriptedStream) {
            self.camera = camera
            camera.state.withLock { $0.open += 1 }
        }

        deinit { camera.state.withLock { $0.open -= 1 } }

        func next() async throws(TransportError) -> [UInt8] {
            if rest.withLock(\.isEmpty) {
                do { try await Task.sleep(for: .milliseconds(40)) } catch { throw Self.lost }
                let number = number.withLock { number in
                    defer { number += 1 }
                    return number
                }
                rest.withLock { $0 = camera.part(number) }
            }
            guard camera.state.withLock(\.isOn) else { throw Self.lost }
            // All lengths from 1 to 1,000 come in turn, so that pieces end anywhere.
            let length = pieces.withLock { pieces in
                defer { pieces += 1 }
                return 1 + pieces * 617 % 1_000
            }
            return rest.withLock { rest in
                defer { rest.removeFirst(min(length, rest.count)) }
                return Array(rest.prefix(length))
            }
        }

        private static let lost = TransportError(
            .reset,
            operation: "send body",
            peer: "client",
            detail: "the camera is off"
        )
    }

    private func part(_ number: Int) -> [UInt8] {
        let picture = Self.pictures[number % Self.pictures.count]
        let length = form == .lengths ? "Content-Length: \(picture.count)\r\n" : ""
        let header = (number == 0 ? "" : "\r\n") + "--frame\r\nContent-Type: image/jpeg\r\n\(length)\r\n"
        return Array(header.utf8) + picture
    }
}
