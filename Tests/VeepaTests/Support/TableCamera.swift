import JPEG
import QRCode
import Services
import TestSupport

/// A local camera that looks at a table, on which something lies.
final class TableCamera: CameraSource {
    /// The JPEG file of what it sees.
    let picture: Box<[UInt8]>
    /// Its connections, so far.
    let connects = Box(0)
    /// Why connecting fails.
    let failure = Box<CameraError?>(nil)
    private let current = CameraStates()
    private let number = Box(0)

    init(_ picture: [UInt8]) { self.picture = Box(picture) }

    var capabilities: CameraCapabilities { CameraCapabilities() }
    func states() -> AsyncStream<CameraState> { current.stream() }
    func apply(_ control: CameraControl) async throws(CameraError) { throw .configurationFailed }

    func connect() async throws(CameraError) {
        // As long as devices take.
        do { try await Task.sleep(for: .milliseconds(150)) } catch { throw .unknown(error) }
        if let failure = failure.value { throw failure }
        connects.increment()
        current.set(.connected)
    }

    func disconnect() async { current.set(.disconnected) }

    /// Somebody pulls its cable.
    func pull() { current.set(.lost(.deviceNotFound)) }

    func latestFrame() async -> VideoFrame? {
        guard current.state == .connected else { return nil }
        let sequence = number.add(1)
        return VideoFrame(sequence: sequence, timestamp: .zero, size: nil, content: .jpeg(picture.value))
    }

    func frames(limit: Int) -> any FrameStream {
        PolledFrames(every: .milliseconds(100)) { await self.latestFrame() }
    }
}

extension BarcodeSymbol {
    /// A JPEG file of a screen or a label with the code, as cameras see it.
    func photo() throws -> [UInt8] {
        try JPEGEncoder().encode(picture(moduleSide: 4).pixelBuffer(), quality: 60)
    }
}

extension GrayPicture {
    /// Nothing lies on the table.
    static let table = GrayPicture(
        size: PixelSize(width: 160, height: 120),
        pixels: Array(repeating: 150, count: 160 * 120)
    )
}
