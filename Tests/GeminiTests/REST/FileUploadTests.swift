import GeminiAPI
import GeminiREST
import HTTPTypes
import Services
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Files over REST", .simulated(seeds: 1...1))
struct FileUploadTests {
    private static let file =
        #"{"name":"files/abc","uri":"https://g/v1beta/files/abc","mimeType":"video/mp4","sizeBytes":"9","state":"#

    private static func field(_ request: HTTPRequest, _ name: String) -> String? {
        HTTPField.Name(name).flatMap { request.headerFields[$0] }
    }

    private static func answer(_ fields: [String: String], _ body: String = "") -> ScriptedServer.Answer {
        var head = HTTPResponse(status: .ok)
        for (name, value) in fields {
            if let name = HTTPField.Name("X-Goog-Upload-" + name) { head.headerFields[name] = value }
        }
        return (head, .text(body))
    }

    private static func files(_ chat: ScriptedChat) async throws -> GeminiFiles {
        GeminiFiles(
            client: try await GeminiWorld.transport(to: chat.server, port: 80),
            endpoint: GeminiEndpoint(authority: "gemini.test", isSecure: false)
        ) { () throws(SecretStoreError) in Secret(ScriptedChat.key) }
    }

    /// Takes an upload; of the second piece it takes the half at first, and fails.
    private static func taking(_ received: Box<[UInt8]>, failing status: Int) -> ScriptedChat {
        let fails = Box(true)
        return ScriptedChat { _, request, body in
            switch field(request, "X-Goog-Upload-Command") {
            case "start":
                return answer(["URL": "http://gemini.test/up?id=secret", "Chunk-Granularity": "262144"])
            case "query": return answer(["Status": "active", "Size-Received": "\(received.value.count)"])
            case let command:
                guard field(request, "X-Goog-Upload-Offset") == "\(received.value.count)" else {
                    return ScriptedChat.refusal(400, "wrong offset")
                }
                if command != "upload", fails.value {
                    fails.set(false)
                    received.set(received.value + body.prefix(body.count / 2))
                    return ScriptedChat.refusal(status)
                }
                received.set(received.value + body)
                return command == "upload"
                    ? answer(["Status": "active"])
                    : answer(["Status": "final"], #"{"file":\#(file)"PROCESSING"}}"#)
            }
        }
    }

    @Test(
        "an upload goes on where it stopped, from memory and from a file, and its pieces carry no key",
        arguments: [true, false],
        [500, 503, 429]
    )
    func resumes(isFile: Bool, status: Int) async throws {
        let bytes = [UInt8].pattern(9 << 20)
        let received = Box<[UInt8]>([])
        let chat = Self.taking(received, failing: status)
        let folder = try TemporaryFolder()
        if isFile { try folder.write(bytes, to: "clip.mp4") }
        let source = isFile ? UploadSource.file(path: folder.file("clip.mp4")) : .bytes(bytes)
        let file = try await Self.files(chat).upload(source, mediaType: "video/mp4")
        #expect(file.name == "files/abc" && file.state == .processing && file.byteCount == 9)
        #expect(received.value == bytes)
        let sent = chat.requests.value.map(\.head)
        #expect(
            sent.first?.path == "/upload/v1beta/files"
                && Self.field(sent[0], "x-goog-api-key") == ScriptedChat.key
        )
        #expect(sent.dropFirst().allSatisfy { Self.field($0, "x-goog-api-key") == nil })
        #expect(
            sent.map { Self.field($0, "X-Goog-Upload-Command") } == [
                "start", "upload", "upload, finalize", "query", "upload, finalize",
            ]
        )
    }

    @Test func `an upload that the service has forgotten is gone, and cancelling it is harmless`()
        async throws
    {
        let chat = ScriptedChat { number, _, _ in
            number == 0 ? Self.answer(["URL": "http://gemini.test/up?id=secret"]) : ScriptedChat.refusal(404)
        }
        let files = try await Self.files(chat)
        let upload = try await files.begin(.bytes([1, 2, 3]), mediaType: "image/jpeg")
        #expect(!"\(upload) \(String(reflecting: upload))".contains("id=secret"))
        #expect(try await files.progress(of: upload) == .gone)
        let error = await #expect(throws: ChatModelError.self) {
            try await files.resume(upload, from: .bytes([1, 2, 3]))
        }
        #expect(error?.code == .fileUnavailable)
        try await files.cancel(upload)
        #expect(chat.requests.value.last.map { Self.field($0.head, "X-Goog-Upload-Command") } == "cancel")
    }

    @Test(
        "an address to upload to that is none, or not safe, is refused",
        arguments: ["", "/up", "ftp://g/up", "http://user@g/up", "http://g", "http://g/a b"]
    )
    func addresses(address: String) async throws {
        let files = try await Self.files(ScriptedChat { _, _, _ in Self.answer(["URL": address]) })
        let error = await #expect(throws: ChatModelError.self) {
            try await files.begin(.bytes([1]), mediaType: "image/jpeg")
        }
        #expect(error?.code == .malformed)
    }

    @Test func `a file is waited for until it is active, has failed, has expired, or the patience ends`()
        async throws
    {
        let states = ["PROCESSING", "PROCESSING", "ACTIVE"]
        let chat = ScriptedChat { number, _, _ in
            ScriptedChat.ok(.text("\(Self.file)\"\(states[min(number, 2)])\"}"))
        }
        #expect(try await Self.files(chat).waitUntilActive("files/abc").state == .active)
        #expect(chat.requests.value.map(\.head.path) == Array(repeating: "/v1beta/files/abc", count: 3))
        func code(_ chat: ScriptedChat) async throws -> ChatModelError.Code? {
            let files = try await Self.files(chat)
            return await #expect(throws: ChatModelError.self) {
                try await files.waitUntilActive("abc", within: .seconds(60))
            }?.code
        }
        #expect(try await code(ScriptedChat(document: "\(Self.file)\"FAILED\"}")) == .rejected)
        #expect(try await code(ScriptedChat(document: "\(Self.file)\"PROCESSING\"}")) == .fileNotReady)
        let words = "You do not have permission to access the File abc or it may not exist."
        let expired = ScriptedChat { _, _, _ in
            ScriptedChat.refusal(403, ScriptedChat.error(403, "PERMISSION_DENIED", words))
        }
        #expect(try await code(expired) == .fileUnavailable)
        try await Self.files(expired).delete("files/abc")
    }

    @Test func `a service that takes the question and never answers uses up the patience, and no more`()
        async throws
    {
        let asked = Box(0)
        let silent = ScriptedChat { _, _, _ in
            asked.add(1)
            await Signal.waitForCancellation()
            return ScriptedChat.refusal(500)
        }
        // One that begins an answer and stops in it.
        let stalling = ScriptedChat { _, _, _ in
            asked.add(1)
            let stream = ByteStream { () async throws(TransportError) in
                await Signal.waitForCancellation()
                return nil
            }
            return ScriptedChat.ok(.stream(stream, length: nil))
        }
        for chat in [silent, stalling] {
            asked.set(0)
            let files = try await Self.files(chat)
            let start = ContinuousClock.now
            let error = await #expect(throws: ChatModelError.self) {
                try await files.waitUntilActive("abc", within: .seconds(10))
            }
            #expect(error?.code == .timedOut && asked.value == 1)
            // A sleep may end a little late.
            #expect(ContinuousClock.now - start < .seconds(10) + .milliseconds(1))
        }
    }

    @Test func `a service that confirms a byte of each piece is given up before it is sent much more`()
        async throws
    {
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        let received = Box(0)
        let sent = Box(0)
        let miser = ScriptedChat { _, request, body in
            switch Self.field(request, "X-Goog-Upload-Command") {
            case "start": return Self.answer(["URL": "http://gemini.test/up?id=secret"])
            default:
                sent.add(body.count)
                received.add(1)
                return Self.answer(["Status": "active", "Size-Received": "\(received.value)"])
            }
        }
        let files = try await Self.files(miser)
        let error = await #expect(throws: ChatModelError.self) {
            try await files.upload(.bytes(bytes), mediaType: "video/mp4")
        }
        #expect(error?.code == .interrupted && error?.detail.contains("confirmed 5 of 1048576") == true)
        #expect(sent.value <= 5 * bytes.count && received.value == 5)
    }
}
