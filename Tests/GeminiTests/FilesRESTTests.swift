import Crypto
import Foundation
import GeminiServer
import HTTPTypes
import PeerKit
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("Gemini over REST: files", .simulated(seeds: 1...3))
struct FilesRESTTests {
    private static let picture = TestPicture.jpeg(number: 9, byteCount: 500)

    /// Uploads in pieces, and returns the file.
    private func upload(
        _ bytes: [UInt8],
        type: String,
        to caller: RESTCaller,
        name: String? = nil,
        pieces: Int = 1
    ) async throws -> JSONValue {
        let upload = try await Upload.start(caller, byteCount: bytes.count, type: type, name: name)
        let length = (bytes.count + pieces - 1) / pieces
        for piece in 0..<(pieces - 1) {
            let answer = try await upload.send(
                Array(bytes[(piece * length)..<((piece + 1) * length)]),
                at: piece * length
            )
            #expect(answer.status == 200 && answer.headers.value("x-goog-upload-status") == "active")
        }
        let start = (pieces - 1) * length
        let answer = try await upload.send(Array(bytes[start...]), at: start, command: "upload, finalize")
        #expect(answer.headers.value("x-goog-upload-status") == "final")
        return try #require(try answer.json()["file"])
    }

    @Test func `a picture is uploaded in pieces, can be used at once, and is really read`() async throws {
        let brain = KeptTurns()
        let world = try await GeminiWorld(script: GeminiScript(brain: AttentiveBrain(turns: brain)))
        let caller = RESTCaller(world)
        let file = try await upload(Self.picture, type: "image/jpeg", to: caller, pieces: 3)
        let name = try #require(file["name"]?.string)
        #expect(file["uri"]?.string == "https://gemini.test/v1beta/\(name)")
        #expect(file["state"] == "ACTIVE" && file["sizeBytes"] == "500" && file["mimeType"] == "image/jpeg")
        #expect(file["source"] == "UPLOADED" && file["displayName"] == "a name")
        #expect(file["sha256Hash"]?.string == Data(SHA256.hash(data: Self.picture)).base64EncodedString())
        #expect(try await caller.send(.get, "/v1/\(name)").json() == file)

        let prompt = RESTCaller.prompt([
            ["fileData": ["file_uri": file["uri"] ?? .null, "mime_type": "image/jpeg"]], ["text": "What?"],
        ])
        let answer = try await caller.call("generateContent", prompt)
        #expect(answer.status == 200)
        let turn = try #require(brain.all.first)
        #expect(turn.lastFrame?.number == 9 && turn.lastFrameBytes == 500 && turn.hasFile)
        #expect(
            try answer.json().at("usageMetadata.promptTokensDetails.1") == [
                "modality": "IMAGE", "tokenCount": 258,
            ]
        )
    }

    @Test func `a video is processed before it can be used`() async throws {
        let caller = RESTCaller(try await GeminiWorld())
        let file = try await upload(Array(repeating: 1, count: 300_000), type: "video/mp4", to: caller)
        let name = try #require(file["name"]?.string)
        #expect(file["state"] == "PROCESSING" && file["videoMetadata"] == nil)
        let prompt = RESTCaller.prompt([["fileData": ["fileUri": .string(name)]], ["text": "What?"]])
        let early = try await caller.call("generateContent", prompt)
        #expect(early.status == 400)
        #expect(try early.error().status == "FAILED_PRECONDITION")
        #expect(try early.error().message.contains("is not in an ACTIVE state"))
        try await Task.sleep(for: .seconds(5))
        let ready = try await caller.send(.get, "/v1/\(name)").json()
        #expect(ready["state"] == "ACTIVE" && ready["videoMetadata"] == ["videoDuration": "2s"])
        #expect(ready["updateTime"] != file["updateTime"])
        #expect(try await caller.call("generateContent", prompt).status == 200)
    }

    @Test func `a picture that cannot be read has failed`() async throws {
        let caller = RESTCaller(try await GeminiWorld())
        let file = try await upload([1, 2, 3], type: "image/jpeg", to: caller)
        #expect(file["state"] == "FAILED" && file.at("error.message") != nil)
        let prompt = RESTCaller.prompt([["fileData": ["fileUri": file["uri"] ?? .null]]])
        #expect(try await caller.call("generateContent", prompt).error().status == "FAILED_PRECONDITION")
    }

    @Test func `processing fails where that is armed`() async throws {
        Simulation.current?.arm(faultPoint: "gemini.files.failed", atMost: 1)
        let caller = RESTCaller(try await GeminiWorld())
        #expect(try await upload(Self.picture, type: "image/jpeg", to: caller)["state"] == "FAILED")
        #expect(try await upload(Self.picture, type: "image/jpeg", to: caller)["state"] == "ACTIVE")
    }

    @Test func `a file is kept for two days, and nobody else sees it`() async throws {
        let world = try await GeminiWorld(settings: GeminiServerSettings(keys: [GeminiWorld.key, "other"]))
        let caller = RESTCaller(world)
        let name = try #require(
            try await upload(Self.picture, type: "image/jpeg", to: caller)["name"]?.string
        )
        let foreign = try await RESTCaller(world, key: "other").send(.get, "/v1/\(name)")
        #expect(foreign.status == 403)
        #expect(try foreign.error().status == "PERMISSION_DENIED")
        #expect(try await RESTCaller(world, key: "other").send(.delete, "/v1/\(name)").status == 403)
        #expect(try await RESTCaller(world, key: "other").send(.get, "/v1/files").json() == [:])
        #expect(try await caller.send(.get, "/v1/files/none").status == 403)
        try await Task.sleep(for: .seconds(48 * 3600 - 10))
        #expect(try await caller.send(.get, "/v1/\(name)").status == 200)
        try await Task.sleep(for: .seconds(20))
        #expect(try await caller.send(.get, "/v1/\(name)").status == 403)
        let prompt = RESTCaller.prompt([["fileData": ["fileUri": .string(name)]]])
        #expect(try await caller.call("generateContent", prompt).status == 403)
    }

    @Test func `files are listed in pages, the newest first, and deleted`() async throws {
        let caller = RESTCaller(try await GeminiWorld())
        for number in 0..<5 {
            _ = try await upload([1], type: "text/plain", to: caller, name: "files/file-\(number)")
        }
        #expect(try await caller.send(.delete, "/v1/files/file-3").json() == [:])
        #expect(try await caller.send(.delete, "/v1/files/file-3").status == 403)
        var names: [String] = []
        var token: String? = ""
        while let next = token {
            let page = try await caller.send(
                .get,
                "/v1/files?pageSize=2" + (next.isEmpty ? "" : "&pageToken=\(next)")
            ).json()
            names += page["files"]?.array?.compactMap { $0["name"]?.string } ?? []
            token = page["nextPageToken"]?.string
        }
        #expect(names == ["files/file-4", "files/file-2", "files/file-1", "files/file-0"])
        #expect(try await caller.send(.get, "/v1/files?pageSize=x").status == 400)
    }

    // MARK: The protocol

    @Test func `an upload that was cut goes on where the service has it`() async throws {
        let caller = RESTCaller(try await GeminiWorld())
        let upload = try await Upload.start(caller, byteCount: 10, type: "text/plain")
        #expect(
            try await upload.send([0, 1, 2, 3], at: 0).headers.value("x-goog-upload-size-received") == "4"
        )
        let gap = try await upload.send([9], at: 5)
        #expect(gap.status == 400 && gap.headers.value("x-goog-upload-size-received") == "4")
        let early = try await upload.send([4], at: 4, command: "upload, finalize")
        #expect(early.status == 400)
        let query = try await upload.send([], at: nil, command: "query")
        #expect(query.headers.value("x-goog-upload-size-received") == "5")
        #expect(query.headers.value("x-goog-upload-status") == "active")
        let last = try await upload.send([5, 6, 7, 8, 9], at: 5, command: "upload, finalize")
        let file = try #require(try last.json()["file"])
        #expect(
            file["sha256Hash"]?.string
                == Data(SHA256.hash(data: (0..<10).map { UInt8($0) })).base64EncodedString()
        )
        // Whoever has lost the last answer asks again.
        let again = try await upload.send([], at: nil, command: "query")
        #expect(again.headers.value("x-goog-upload-status") == "final")
        #expect(try again.json()["file"] == file)
    }

    @Test func `a cancelled upload is gone`() async throws {
        let caller = RESTCaller(try await GeminiWorld())
        let upload = try await Upload.start(caller, byteCount: 10, type: "text/plain")
        let answer = try await upload.send([], at: nil, command: "cancel")
        #expect(answer.headers.value("x-goog-upload-status") == "cancelled")
        #expect(try await upload.send([1], at: 0).status == 404)
        #expect(try await caller.send(.get, "/v1/files").json() == [:])
    }

    @Test func `an upload takes no more than was announced, and no unknown command`() async throws {
        let caller = RESTCaller(try await GeminiWorld())
        let upload = try await Upload.start(caller, byteCount: 2, type: "text/plain")
        #expect(try await upload.send([1, 2, 3], at: 0).status == 400)
        #expect(try await upload.send([1], at: nil).status == 400)
        #expect(try await upload.send([1], at: 0, command: "erase").status == 400)
    }

    @Test func `limits hold`() async throws {
        var settings = GeminiServerSettings(keys: [GeminiWorld.key])
        settings.largestFile = 1000
        settings.filesOfKey = 1200
        settings.fileMemory = 600
        let caller = RESTCaller(try await GeminiWorld(settings: settings))
        #expect(try await Upload.answer(caller, byteCount: 1001, type: "text/plain").status == 400)
        _ = try await self.upload(Array(repeating: 1, count: 1000), type: "text/plain", to: caller)
        let more = try await Upload.start(caller, byteCount: 300, type: "text/plain")
        let refused = try await more.send(Array(repeating: 1, count: 300), at: 0, command: "upload, finalize")
        #expect(refused.status == 429)
        // Pictures are held until they are decoded.
        let first = try await Upload.start(caller, byteCount: 500, type: "image/jpeg")
        #expect(try await first.send(Array(Self.picture[..<400]), at: 0).status == 200)
        let second = try await Upload.start(caller, byteCount: 500, type: "image/jpeg")
        #expect(try await second.send(Array(Self.picture[..<400]), at: 0).status == 429)
        _ = try await first.send([], at: nil, command: "cancel")
        #expect(try await second.send(Array(Self.picture[..<400]), at: 0).status == 200)
    }

    @Test(
        arguments: [
            (["file": ["name": "files/Bad_Name"]], 400), (["file": ["nam": "x"]], 400),
            (["file": ["size_bytes": 7]], 400), (["file": ["name": "files/taken"]], 409),
        ] as [(JSONValue, Int)]
    )
    func `a start with a mistake is refused`(description: JSONValue, status: Int) async throws {
        let caller = RESTCaller(try await GeminiWorld())
        _ = try await upload([1], type: "text/plain", to: caller, name: "files/taken")
        let answer = try await Upload.answer(
            caller,
            byteCount: 1,
            type: "text/plain",
            description: description
        )
        #expect(answer.status == status)
        #expect(answer.headers.value("x-goog-upload-url") == nil)
    }

    @Test func `a start needs a key, and the bytes need none`() async throws {
        let world = try await GeminiWorld()
        #expect(
            try await Upload.answer(RESTCaller(world, key: nil), byteCount: 1, type: "text/plain").status
                == 403
        )
        let upload = try await Upload.start(RESTCaller(world), byteCount: 1, type: "text/plain")
        #expect(upload.caller.key == nil)
        #expect(try await upload.send([1], at: 0, command: "upload, finalize").status == 200)
    }
}

/// A resumable upload, as clients make it.
private struct Upload {
    /// Without a key: the address is enough.
    let caller: RESTCaller
    let path: String

    static func answer(
        _ caller: RESTCaller,
        byteCount: Int,
        type: String,
        description: JSONValue = ["file": [:]]
    ) async throws -> RESTCaller.Answer {
        try await caller.send(
            .post,
            "/upload/v1beta/files",
            headers: [
                "x-goog-upload-protocol": "resumable", "x-goog-upload-command": "start",
                "x-goog-upload-header-content-length": String(byteCount),
                "x-goog-upload-header-content-type": type,
            ],
            body: .bytes(description.json)
        )
    }

    static func start(
        _ caller: RESTCaller,
        byteCount: Int,
        type: String,
        name: String? = nil
    ) async throws -> Upload {
        var file: [String: JSONValue] = ["display_name": "a name", "size_bytes": .integer(byteCount)]
        if let name { file["name"] = .string(name) }
        let answer = try await answer(
            caller,
            byteCount: byteCount,
            type: type,
            description: ["file": .object(file)]
        )
        #expect(answer.status == 200 && answer.headers.value("x-goog-upload-status") == "active")
        let url = try #require(answer.headers.value("x-goog-upload-url"))
        let base = "https://gemini.test"
        #expect(url.hasPrefix(base + "/upload/v1beta/files?"))
        var keyless = caller
        keyless.key = nil
        return Upload(caller: keyless, path: String(url.dropFirst(base.count)))
    }

    func send(_ bytes: [UInt8], at offset: Int?, command: String = "upload") async throws -> RESTCaller.Answer
    {
        var headers = ["x-goog-upload-command": command]
        if let offset { headers["x-goog-upload-offset"] = String(offset) }
        return try await caller.send(.post, path, headers: headers, body: .bytes(bytes))
    }
}

private struct AttentiveBrain: GeminiBrain {
    let turns: KeptTurns

    func reply(to turn: GeminiTurn) -> GeminiReply {
        turns.keep(turn)
        return GeminiReply([.init(["Yes."])])
    }
}
