import AppKernel
import Concurrency
import FileSecrets
import Foundation
import GeminiAPI
import GeminiServer
import Lens
import LensScenarios
import ScenarioKit
import Services
import SessionRecording
import SupabaseServer
import SupabaseStorage
import TestSupport
import Testing

@Suite("Secrets of the app", .timeLimit(.minutes(2)))
struct LiveSecretsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let credentials = CameraCredentials(
        device: "VSTC-771034-QKWNP",
        password: Secret("veepa-8d41-password")
    )

    private func store() -> FileSecretStore {
        FileSecretStore(
            path: folder.file("phone/secrets"),
            key: .passphrase(
                Secret("correct horse"),
                cost: PassphraseCost(rounds: 10, blockSize: 8, parallelism: 1)
            )
        )
    }

    /// Streams, takes a photo and uploads it, with everything that opens a service from the store; returns what was shown.
    private func run(_ recorded: RecordedSession, _ hosted: LoopbackPeers, _ places: LensAddresses)
        async throws -> [String]
    {
        let secrets = recorded.secrets(store())
        let transport = recorded.transport(hosted.transport)
        let options = DemoSettings(seconds: 1, size: PixelSize(width: 160, height: 90)).options
        let phone = try LensPhone(
            options,
            addresses: LensAddresses(
                gemini: places.gemini,
                geminiKey: nil,
                store: .supabase(address: nil, key: nil)
            ),
            transport: transport,
            camera: recorded.camera(LensPhone.camera(options, seed: 1), keepsPictures: true),
            secrets: secrets,
            folder: folder.file("phone"),
            databasePath: folder.file("phone/lens.sqlite")
        )
        let app = phone.app
        let launch = await app.launch()
        let camera = try #require(try CameraKey(secrets).read())
        try await app.startStreaming()
        let item = try await app.capturePhoto()
        for await all in app.uploads.statuses.all.values() {
            if all[item.id] == .completed { break }
            // A store that refuses the key fails the test at once, and not by the time limit.
            if case .failed(let error, _, _) = all[item.id] { throw error }
        }
        await app.stopStreaming()
        // What a careless program would leave behind.
        await app.conversation.append(
            ChatMessage(role: .user, content: .text("The password of \(camera) is \(camera.password)."))
        )
        var shown = [
            "\(launch)", "\(try app.library.items())", "\(camera)", String(reflecting: camera), "\(secrets)",
        ]
        var dumped = ""
        dump(app.settings.current.value, to: &dumped)
        dump(secrets, to: &dumped)
        dump(environmentOf(secrets), to: &dumped)
        shown.append(dumped)
        await phone.shutdown()
        return shown
    }

    /// Runs the program `lens` in the folder of the phone until it has said where its page is; returns all that it has printed.
    ///
    /// Its environment has the passphrase alone: all other secrets are those that the folder keeps.
    private func runProgram(_ places: LensAddresses) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: ".build/debug/lens")
        process.arguments = [
            "--json", "--folder", folder.file("phone"), "--wifi-camera", "none", "--store", "kept",
            "--gemini", "ws://\(places.gemini.authority)", "--passphrase-from", "WORDS",
        ]
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path, "WORDS": "correct horse"]
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        process.standardInput = FileHandle.nullDevice
        // The program warns of a folder that others may read.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.file("phone"))
        try process.run()
        var text = ""
        while !text.contains("\n"), let line = try output.fileHandleForReading.read(upToCount: 1) {
            text += String(decoding: line, as: UTF8.self)
        }
        process.terminate()
        text += String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return text
    }

    private func environmentOf(_ secrets: RecordingSecretStore) -> [String: any SecretStore] {
        ["secrets": secrets]
    }

    @Test(
        "LENS-202 an encrypted file holds the model's key, the store's credentials and the camera's, and none of them is readable in any file that the app writes, in what it logs or in its recording"
    )
    func noPlaintext() async throws {
        let servers = try LensServers(LensOptions())
        let hosted = try await LoopbackPeers.start(servers.peers)
        let places = LensAddresses(hosted.authority)
        let (modelKey, storeKey) = (try #require(places.geminiKey), try #require(places.store.key))
        try FileManager.default.createDirectory(
            atPath: folder.file("phone"),
            withIntermediateDirectories: true
        )
        try await ModelKey(store()).write(modelKey.reveal())
        try store().set(storeKey, named: SupabaseConfiguration.keyName)
        try store().set(places.store.place.map { Secret($0) }, named: SupabaseConfiguration.projectURLName)
        try CameraKey(store()).write(Self.credentials)

        let recorder = LiveRecorder(
            name: "secrets",
            seed: 1,
            parameters: [:],
            secrets: [],
            folder: folder.file("phone"),
            path: folder.file("run.lenssession")
        )
        let (shown, session) = try await recorder.run(stoppedAt: { _ in nil }) { recorded in
            try await run(recorded, hosted, places)
        }
        let log = try runProgram(places)
        #expect(log.contains("lens: ") && log.contains("\"page\":"))
        await hosted.stop()
        // They are held, and were used: another store that opens the file has them, and both services took them.
        #expect(try await ModelKey(store()).read() == modelKey)
        #expect(try store().secret(named: SupabaseConfiguration.keyName) == storeKey)
        #expect(try CameraKey(store()).read() == Self.credentials)
        #expect(servers.gemini.record.sessions.count == 1)
        #expect(servers.supabase.objects(in: LensOptions.bucket).count == 1)
        #expect(try session.connections().count >= 2)
        #expect(try !session.files().keys.contains { $0.contains("secrets") })

        let secrets = [modelKey, storeKey, Self.credentials.password, Secret(Self.credentials.device)].map {
            $0.reveal()
        }
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        #expect(Set(["phone/lens.sqlite", "phone/secrets", "run.lenssession"]).isSubset(of: names))
        #expect(names.contains { $0.hasPrefix("phone/Documents/photo_") })
        for secret in secrets {
            for form in [secret, Data(secret.utf8).base64EncodedString(), String(secret.reversed())] {
                for name in names {
                    let bytes = FileManager.default.contents(atPath: folder.file(name)) ?? Data()
                    #expect(bytes.range(of: Data(form.utf8)) == nil, "\(name)")
                }
                for text in shown + [log] { #expect(!text.contains(form)) }
            }
        }
    }
}
