import Foundation
import HTTPTypes
import Services
import Transport

/// An answer that is being read.
struct StreamConnection: Sendable {
    private let body: HTTPBody
    private let boundary: String
    private let options: StreamOptions
    private let beginning = ContinuousClock.now

    /// Asks a camera for its pictures.
    static func open(
        _ address: StreamAddress,
        _ client: any HTTPClient,
        _ options: StreamOptions
    ) async throws(CameraError) -> StreamConnection {
        var request = HTTPRequest(
            method: .get,
            scheme: address.isSecure ? "https" : "http",
            authority: address.authority,
            path: address.path
        )
        if let login = address.login {
            request.headerFields[.authorization] = "Basic \(Data(login.reveal().utf8).base64EncodedString())"
        }
        let answer: (head: HTTPResponse, body: HTTPBody)
        do throws(TransportError) {
            answer = try await client.send(request, body: .empty, timeout: options.silence)
        } catch {
            throw CameraError(error)
        }
        switch answer.head.status.code {
        case 200: break
        case 401, 403: throw .permissionDenied
        case 404: throw .deviceNotFound
        default: throw .sessionStartFailed
        }
        guard let boundary = answer.head.headerFields[.contentType].flatMap(MultipartReader.boundary(in:))
        else {
            throw .inputConfigurationFailed
        }
        return StreamConnection(body: answer.body, boundary: boundary, options: options)
    }

    /// Reads pictures until the camera ends, breaks a rule, or nobody wants them any more.
    ///
    /// - Parameter publish: Takes a frame; false ends the reading.
    func read(_ publish: (VideoFrame) -> Bool) async {
        var reader = MultipartReader(boundary: boundary, limit: options.frameBytes)
        var number = 0
        guard var chunks = try? await body.chunks().makeAsyncIterator() else { return }
        while let chunk = try? await chunks.next() {
            guard let files = try? reader.add(chunk) else { return }
            for file in files {
                // Numbers have gaps for what was no picture: frames that were lost.
                defer { number += 1 }
                guard file.starts(with: [0xFF, 0xD8]), file.suffix(2) == [0xFF, 0xD9] else { continue }
                let frame = VideoFrame(
                    sequence: number,
                    timestamp: ContinuousClock.now - beginning,
                    size: nil,
                    content: .jpeg(file)
                )
                guard publish(frame) else { return }
            }
        }
    }
}

extension CameraError {
    /// What a failure of the network means for a camera.
    init(_ error: TransportError) {
        switch error.code {
        case .refused, .unreachable, .timedOut: self = .deviceNotFound
        case .cancelled: self = .unknown(CancellationError())
        default: self = .unknown(error)
        }
    }
}
