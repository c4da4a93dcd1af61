public import JPEG
import QRCode
public import Services
import Synchronization

/// A simulated camera of a device, before which somebody may hold the label of another camera.
///
/// **Models.** While the label is held, every picture is one of the label, sharp and from the front. **Does not model.** Hands, blur, distance
/// and light.
public final class LabelledCamera: CameraSource {
    private let base: any CameraSource
    private let label: HeldLabel

    /// Makes a camera that sees what another one sees, and the label while it is held.
    public init(_ base: any CameraSource, _ label: HeldLabel) { (self.base, self.label) = (base, label) }

    /// Connects it.
    public func connect() async throws(CameraError) { try await base.connect() }

    /// Disconnects it.
    public func disconnect() async { await base.disconnect() }

    /// What it can do.
    public var capabilities: CameraCapabilities { base.capabilities }

    /// How it is, from now on.
    public func states() -> AsyncStream<CameraState> { base.states() }

    /// The newest picture.
    public func latestFrame() async -> VideoFrame? { await base.latestFrame().map(label.cover) }

    /// All pictures.
    public func frames(limit: Int) -> any FrameStream {
        Frames(base: base.frames(limit: limit), label: label)
    }

    /// Changes a control.
    public func apply(_ control: CameraControl) async throws(CameraError) { try await base.apply(control) }

    private struct Frames: FrameStream {
        let base: any FrameStream
        let label: HeldLabel

        func next() async -> VideoFrame? { await base.next().map(label.cover) }
        var dropped: Int { base.dropped }
    }
}

/// What is held before a camera: a label, or nothing.
public final class HeldLabel: Sendable {
    private let picture = Mutex<[UInt8]?>(nil)

    /// Holds nothing.
    public init() {}

    /// Holds a label before the camera; `nil` takes it away.
    public func hold(_ symbol: BarcodeSymbol?) throws(JPEGError) {
        guard let symbol else { return picture.withLock { $0 = nil } }
        let photo = try JPEGEncoder().encode(Self.table(with: symbol).pixelBuffer(), quality: 80)
        picture.withLock { $0 = photo }
    }

    func cover(_ frame: VideoFrame) -> VideoFrame {
        guard let picture = picture.withLock(\.self) else { return frame }
        return VideoFrame(
            sequence: frame.sequence,
            timestamp: frame.timestamp,
            size: Self.size,
            content: .jpeg(picture)
        )
    }

    private static let size = PixelSize(width: 480, height: 270)

    /// The code in the middle of a grey table.
    private static func table(with symbol: BarcodeSymbol) -> GrayPicture {
        let code = symbol.picture(moduleSide: 5)
        precondition(code.size.height <= size.height, "a label has room in the picture")
        var pixels = [UInt8](repeating: 150, count: size.area)
        let (left, top) = ((size.width - code.size.width) / 2, (size.height - code.size.height) / 2)
        for row in 0..<code.size.height {
            let line = code.pixels[row * code.size.width..<(row + 1) * code.size.width]
            let start = (top + row) * size.width + left
            pixels.replaceSubrange(start..<start + line.count, with: line)
        }
        return GrayPicture(size: size, pixels: pixels)
    }
}
