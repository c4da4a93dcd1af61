import Glibc
import JPEG
import PeerKit
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
    private let encoder: JPEGEncoder?
    private let backdrop: Backdrop
    /// The stages of a drawn scene: without a zoom, and with the newest one.
    private var stages: [Stage] = []
    private let shapes: [MovingShape]

    init(_ configuration: FakeCamera.Configuration) {
        self.configuration = configuration
        let size = configuration.size
        canvas = Canvas(size: size)
        pool = PixelBufferPool(size: size, layout: configuration.layout)
        if case .jpeg(let quality) = configuration.format {
            precondition((1...100).contains(quality), "a JPEG file has a quality from 1 to 100")
            encoder = try? JPEGEncoder()
        } else {
            encoder = nil
        }
        var numbers = SeededNumbers(seed: configuration.seed)
        switch configuration.scene {
        case .room, .frontDoor:
            backdrop = .drawn
            shapes = []
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
        case drawn
        case texture(PanningTexture)
        case noise(NoiseField)
        case still(PixelBuffer)
        case files([[UInt8]])
    }

    /// Draws the frame of that number, as a camera sees it that is pointed so.
    func frame(_ number: Int, aim: Aim, _ flaws: FrameFlaws) -> VideoFrame {
        let timestamp = configuration.period * number
        var frame: VideoFrame
        if case .files(let files) = backdrop {
            frame = VideoFrame(
                sequence: number,
                timestamp: timestamp,
                size: configuration.size,
                content: .jpeg(files[number % files.count])
            )
        } else {
            let picture = picture(number, aim, flaws)
            frame = VideoFrame(
                sequence: number,
                timestamp: timestamp,
                size: picture.size,
                content: content(of: picture)
            )
        }
        if flaws.isCut, case .jpeg(let file) = frame.content {
            frame.content = .jpeg(Array(file.prefix(file.count / 2)))
        }
        frame.timestamp += flaws.clockError
        return frame
    }

    private func content(of picture: PixelBuffer) -> VideoFrame.Content {
        guard case .jpeg(let quality) = configuration.format else { return .pixels(picture) }
        guard let encoder, let file = try? encoder.encode(picture, quality: quality) else {
            preconditionFailure("what is drawn can be encoded: \(picture.size)")
        }
        return .jpeg(file)
    }

    private func picture(_ number: Int, _ aim: Aim, _ flaws: FrameFlaws) -> PixelBuffer {
        if flaws.isGreen { return FlawedPicture.green(configuration.size, configuration.layout) }
        var picture = picture(number, aim)
        if flaws.isTorn { picture = FlawedPicture.torn(picture, self.picture(number - 1, aim)) }
        return flaws.hasWrongSize ? FlawedPicture.halved(picture) : picture
    }

    private func picture(_ number: Int, _ aim: Aim) -> PixelBuffer {
        let timestamp = configuration.period * number
        return unsafe pool.makeBuffer { bytes in
            switch configuration.layout {
            case .i420: unsafe draw(number, at: timestamp, aim, into: bytes)
            case .rgb:
                unsafe drawing.withMutableBytes { planes in
                    unsafe draw(number, at: timestamp, aim, into: planes)
                    unsafe canvas.convertToRGB(planes, into: bytes)
                }
            }
        }
    }

    private func draw(
        _ number: Int,
        at time: Duration,
        _ aim: Aim,
        into bytes: UnsafeMutableRawBufferPointer
    ) {
        let sight = configuration.drawnScene.map(aim.sight)
        if let sight {
            // The lens enlarges, not the picture: what is small gets sharp edges.
            unsafe stage(sight).draw(
                number,
                at: time,
                isFocusNear: sight.isFocusNear,
                into: bytes,
                canvas
            )
        } else if aim.zoom > 1 {
            unsafe scene.withMutableBytes { planes in
                unsafe drawScene(number, into: planes)
                unsafe canvas.enlarge(planes, by: aim.zoom, into: bytes)
            }
        } else {
            unsafe drawScene(number, into: bytes)
        }
        unsafe canvas.burn(FrameCode(sequence: number, captureTime: time, sight: sight), into: bytes)
    }

    private func stage(_ sight: Sight) -> Stage {
        let view = View(size: configuration.size, zoom: sight.zoom)
        if let ready = stages.first(where: { $0.view == view }) { return ready }
        stages.removeAll { $0.view != View(size: configuration.size, zoom: 1) }
        let stage = Stage(sight.scene, view)
        stages.append(stage)
        return stage
    }

    private func drawScene(_ number: Int, into bytes: UnsafeMutableRawBufferPointer) {
        switch backdrop {
        case .texture(let texture): unsafe texture.draw(number, into: bytes, canvas)
        case .noise(let field): unsafe field.draw(number, into: bytes)
        case .still(let picture): unsafe picture.withBytes { unsafe bytes.copyMemory(from: $0) }
        case .files, .drawn: break
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
