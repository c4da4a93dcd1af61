public import Services
internal import Synchronization
public import Transport

/// The camera's pictures as one endless answer, `multipart/x-mixed-replace`, which an image element shows.
///
/// The reader pulls: while it is slow, pictures pass it by, and it gets the newest next.
public struct PreviewStream: Sendable {
    /// Returns the newest picture of the camera; `nil` where there is none.
    public typealias LatestFrame = @Sendable () async -> VideoFrame?

    /// The most pictures a second.
    public static let framesPerSecond = 25
    /// The type of the answer.
    public static let contentType = "multipart/x-mixed-replace; boundary=\(boundary)"

    fileprivate static let boundary = "picture"
    fileprivate static let interval = Duration.seconds(1) / framesPerSecond
    /// How often a camera is asked that has no newer picture.
    fileprivate static let patience = Duration.milliseconds(4)
    /// How often a camera is asked that gives no pictures at all.
    fileprivate static let longPatience = Duration.milliseconds(200)

    fileprivate let latestFrame: LatestFrame
    fileprivate let encode: SharedFrameEncoder.Encode

    /// Creates the preview of a camera, which any number of pages read.
    ///
    /// - Parameters:
    ///   - latestFrame: Returns the newest picture.
    ///   - encode: Makes a JPEG file of a picture; a picture for which it throws is left out.
    public init(latestFrame: @escaping LatestFrame, encode: @escaping SharedFrameEncoder.Encode) {
        (self.latestFrame, self.encode) = (latestFrame, encode)
    }

    /// The pictures, until the reader has gone.
    ///
    /// - Parameter end: Called when nobody reads them any more.
    public func body(_ end: @escaping @Sendable () -> Void) -> HTTPBody {
        let reader = PreviewReader(self, end)
        return .stream(
            ByteStream { () async throws(TransportError) in try await reader.next() },
            length: nil
        )
    }
}

/// How far one page has seen the preview.
private final class PreviewReader: Sendable {
    private struct Place: Sendable {
        var sequence: Int?
        var timestamp = Duration.zero
        var due = ContinuousClock.now
        var hasBegun = false
    }

    private let stream: PreviewStream
    private let place = Mutex(Place())
    private let end: @Sendable () -> Void

    init(_ stream: PreviewStream, _ end: @escaping @Sendable () -> Void) {
        self.stream = stream
        self.end = end
    }

    deinit { end() }

    /// Waits for the next picture, and for its time.
    func next() async throws(TransportError) -> [UInt8] {
        while true {
            do { try await Task.sleep(until: place.withLock { $0.due }, clock: .continuous) } catch {
                throw TransportError(.cancelled, operation: "show the camera", peer: "page")
            }
            guard let frame = take(await stream.latestFrame()),
                let jpeg = try? await stream.encode(frame)
            else { continue }
            return part(jpeg)
        }
    }

    /// Decides when to look again, and whether a picture is a new one.
    private func take(_ frame: VideoFrame?) -> VideoFrame? {
        place.withLock { place in
            let now = ContinuousClock.now
            guard let frame else {
                place.due = now + PreviewStream.longPatience
                return nil
            }
            if place.sequence == frame.sequence, place.timestamp == frame.timestamp {
                place.due = now + PreviewStream.patience
                return nil
            }
            (place.sequence, place.timestamp) = (frame.sequence, frame.timestamp)
            // On the beat, and without a rush after a pause.
            place.due = max(place.due + PreviewStream.interval, now + PreviewStream.interval / 2)
            return frame
        }
    }

    /// A picture with the boundary behind it: browsers show a picture once they have seen its end.
    private func part(_ jpeg: [UInt8]) -> [UInt8] {
        let isFirst = place.withLock { place in
            defer { place.hasBegun = true }
            return !place.hasBegun
        }
        let boundary = "--\(PreviewStream.boundary)\r\n"
        let head = "Content-Type: image/jpeg\r\nContent-Length: \(jpeg.count)\r\n\r\n"
        var part: [UInt8] = []
        part.reserveCapacity(jpeg.count + 128)
        if isFirst { part += boundary.utf8 }
        part += head.utf8
        part += jpeg
        part += "\r\n\(boundary)".utf8
        return part
    }
}
