import AppKernel
import Concurrency
import Files
import Foundation
import JPEG
import Lens
import LensScreens
import Services
import SimulationTesting
import Testing

@Suite("Errors", .simulated(seeds: 1...3, configuration: .shortWaits))
struct ErrorTests {
    private struct Strange: Error {}

    private static let cameraErrors: [CameraError] = [
        .permissionDenied, .deviceNotFound, .inputConfigurationFailed, .outputConfigurationFailed,
        .sessionStartFailed, .sessionAlreadyRunning, .configurationFailed, .unknown(Strange()),
    ]

    /// Every case of every error that the app may show, those that hold others with one of them.
    private static var all: [any Error & CustomStringConvertible] {
        let file = FileFailure(.disk, operation: "read", path: "/a")
        let database = DatabaseFailure(.disk, operation: "read", path: "/a", detail: "")
        let item = MediaItem(id: UUID(), kind: .photo, url: URL(filePath: "/a"), createdAt: Date())
        let model = ChatModelError(.unavailable, operation: "ask", peer: "model")
        var all: [any Error & CustomStringConvertible] = cameraErrors
        all += ChatModelError.Code.allCases.map { ChatModelError($0, operation: "", peer: "") }
        all += LiveModelError.Code.allCases.map { LiveModelError($0, operation: "", peer: "") }
        all += UploadError.Code.allCases.map { UploadError($0, detail: "") }
        all += ObjectStoreError.Code.allCases.map { ObjectStoreError($0, operation: "", key: "") }
        all += SpeechInputError.Code.allCases.map { SpeechInputError($0) }
        all += DeepLinkError.allCases
        all +=
            [
                .busy, .unusablePicture(detail: ""), .videoFile(file), .unusableVideo(detail: ""),
                .pictureWhileStreaming, .model(model), .silent,
            ] as [ChatFailure]
        all += BlockReason.allCases.map { ChatFailure.blocked($0) }
        all += FinishReason.allCases.map { ChatFailure.stopped($0) }
        all +=
            [.encoding(""), .file(file), .library(database), .notQueued(item, database)]
            as [PhotoCaptureError]
        all += [.library(database), .file(file)] as [GalleryFailure]
        all += [file, database, CameraOvertaken()] as [any Error & CustomStringConvertible]
        all +=
            [
                .unreadable(name: "", detail: ""), .unavailable(detail: ""), .readOnly(detail: ""),
                .invalid(name: "", detail: ""), .wrongPassphrase(path: ""),
                .wrongKeyFile(path: "", keyFile: ""), .missingKeyFile(path: "", keyFile: ""),
                .exposedKeyFile(keyFile: ""), .damagedKeyFile(keyFile: ""), .needsPassphrase(path: ""),
                .needsKeyFile(path: ""), .truncated(path: "", found: 0, expected: 1), .tampered(path: ""),
                .tooCostly(path: ""), .newerVersion(path: "", found: 2, known: 1), .busy(path: ""),
            ] as [SecretStoreError]
        let size = PixelSize(width: 1, height: 1)
        all +=
            [
                .handleUnavailable(message: ""), .undecodable(message: "", byteCount: 0),
                .damaged(message: "", byteCount: 0), .truncated(byteCount: 0),
                .unsupportedColorspace(.yCbCr), .tooLarge(size, limits: .standard),
                .encodingFailed(message: "", size: size, quality: 1), .doesNotFit(limit: 1, size: size),
            ] as [JPEGError]
        return all
    }

    @Test(
        "LENS-237 a denied camera reads “Camera permission denied”, and every case of every error says something"
    )
    func descriptions() {
        #expect(CameraError.permissionDenied.description == "Camera permission denied")
        for error in Self.all {
            let text = error.description
            let saysSomething = text.contains { $0.isLetter }
            #expect(saysSomething, "\(type(of: error)): \(String(reflecting: error))")
            #expect("\(error)" == text)
        }
    }

    @Test(
        "LENS-239 a camera's error is thrown and shown as it is, and any other as an unknown one with it",
        arguments: cameraErrors
    )
    func passing(error: CameraError) async throws {
        let fixture = try AppFixture(localFailure: error)
        let camera = fixture.app.camera
        await #expect(throws: error) { try await camera.connect() }
        #expect(camera.status.value.error == error)

        fixture.wireless.connects.set(false)
        let overtaken = Task { try await camera.switchTo(.veepaWiFi) }
        await camera.status.reaches { $0.state == .connecting }
        await #expect(throws: error) { try await camera.switchTo(.local) }
        let thrown = await #expect(throws: CameraError.self) { try await overtaken.value }
        guard case .unknown(let cause)? = thrown else {
            Issue.record("\(String(describing: thrown))")
            return
        }
        #expect(cause is CameraOvertaken)
        let cancelled = Task { try await camera.switchTo(.veepaWiFi) }
        await camera.status.reaches { $0.state == .connecting }
        cancelled.cancel()
        let end = await #expect(throws: CameraError.self) { try await cancelled.value }
        guard case .unknown(let other)? = end else {
            Issue.record("\(String(describing: end))")
            return
        }
        #expect(other is CancellationError)
    }
}
