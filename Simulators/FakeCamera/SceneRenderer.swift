import Glibc
import Services

/// Draws frame after frame of one scene.
///
/// Used under the camera's lock. Works by whole rows (`memcpy`, `memset`), so that it is fast without optimisation too.
final class SceneRenderer {
    private let configuration: FakeCamera.Configuration
    private let canvas: Canvas
    /// Where a frame is drawn that is delivered in RGB; lent to nobody.
    private lazy var drawing = PixelBuffer(size: configuration.size, layout: .i420)
    /// Where a scene is drawn before it is enlarged; lent to nobody.
    private lazy var scene = PixelBuffer(size: configuration.size, layout: .i420)
    private let pool: PixelBufferPool
    private let backdrop: Backdrop
    private let shapes: [MovingShape]

    init(_ configuration: FakeCamera.Configuration) {
        self.configuration = configuration
        let size = configuration.size
        canvas = Canvas(size: size)
        pool = PixelBufferPool(size: size, layout: configuration.layout)
        var numbers = SeededNumbers(seed: configuration.seed)
        switch configuration.scene {
        case .shapes(let detail):
            backdrop = .texture(PanningTexture(size: size, detail: detail, numbers: &numbers))
            shapes = (0..<4).map { _ in MovingShape(in: size, numbers: &numbers) }
        case .noise:
            backdrop = .noise(NoiseField(size: size, numbers: &numbers))
            shapes = []
        case .still(let picture):
            precondition(
                picture.size == size && picture.layout == .i420,
                "a still has the camera's size and is I420"
            )
            backdrop = .still(picture)
            shapes = []
        case .prepared(let files):
            precondition(!files.isEmpty, "a prepared scene has at least one file")
            backdrop = .files(files)
            shapes = []
            return
        }
        let least = FrameCode.minimumSize
        precondition(
            size.width >= least.width && size.height >= least.height,
            "a picture smaller than \(least) has no room for the frame code"
        )
    }

    private enum Backdrop {
        case texture(PanningTexture)
        case noise(NoiseField)
        case still(PixelBuffer)
        case files([[UInt8]])
    }

    /// Draws the frame of that number, with the middle of the scene enlarged.
    func frame(_ number: Int, zoom: Double) -> VideoFrame {
        let timestamp = configuration.period * number
        if case .files(let files) = backdrop {
            return VideoFrame(
                sequence: number,
                timestamp: timestamp,
                size: configuration.size,
                content: .jpeg(files[number % files.count])
            )
        }
        let picture = unsafe pool.makeBuffer { bytes in
            switch configuration.layout {
            case .i420: unsafe draw(number, at: timestamp, zoom, into: bytes)
            case .rgb:
                unsafe drawing.withMutableBytes { planes in
                    unsafe draw(number, at: timestamp, zoom, into: planes)
                    unsafe canvas.convertToRGB(planes, into: bytes)
                }
            }
        }
        return VideoFrame(
            sequence: number,
            timestamp: timestamp,
            size: configuration.size,
            content: .pixels(picture)
        )
    }

    private func draw(
        _ number: Int,
        at time: Duration,
        _ zoom: Double,
        into bytes: UnsafeMutableRawBufferPointer
    ) {
        if zoom > 1 {
            unsafe scene.withMutableBytes { planes in
                unsafe drawScene(number, into: planes)
                unsafe canvas.enlarge(planes, by: zoom, into: bytes)
            }
        } else {
            unsafe drawScene(number, into: bytes)
        }
        unsafe canvas.burn(FrameCode(sequence: number, captureTime: time), into: bytes)
    }

    private func drawScene(_ number: Int, into bytes: UnsafeMutableRawBufferPointer) {
        switch backdrop {
        case .texture(let texture): unsafe texture.draw(number, into: bytes, canvas)
        case .noise(let field): unsafe field.draw(number, into: bytes)
        case .still(let picture): unsafe picture.withBytes { unsafe bytes.copyMemory(from: $0) }
        case .files: break
        }
        for shape in shapes {
            let place = shape.place(in: number, canvas.size)
            unsafe canvas.fill(
                x: place.x,
                y: place.y,
                width: shape.width,
                height: shape.height,
                shape.color,
                bytes
            )
        }
    }
}
