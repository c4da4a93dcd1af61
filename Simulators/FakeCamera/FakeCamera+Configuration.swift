public import Services

extension FakeCamera {
    /// What the camera points at.
    public enum Scene: Sendable {
        /// A living room with a window, a sofa, a clock and the frame's number on a table; somebody walks through it now and
        /// then (``FakeCamera/happenings(at:)``). The seed decides how it looks and what happens.
        case room
        /// The outside of a house: visitors, parcels, cars, rain.
        case frontDoor
        /// A panning textured background with moving shapes. `detail` from 0 (smooth) to 1 (rough) sets how large
        /// its JPEG files get.
        case shapes(detail: Double)
        /// Random pixels, new in each frame: the picture that JPEG cannot compress.
        case noise
        /// One picture, under a changing frame code; must have the camera's size and be I420.
        case still(PixelBuffer)
        /// Ready JPEG files in turn, without a frame code: the cheapest scene, for long simulations.
        case prepared([[UInt8]])
    }

    /// What a frame is.
    public enum Format: Sendable, Hashable {
        /// Pixels, in the configuration's layout.
        case pixels
        /// A JPEG file of that quality, from 1 to 100, as Motion-JPEG cameras send.
        case jpeg(quality: Int)
    }

    /// What goes wrong, and when; times count from the first call of ``FakeCamera/connect()``.
    public enum Fault: Sendable, Hashable {
        /// Connecting fails with `CameraError.permissionDenied`.
        case permissionDenied
        /// There is no device: connecting fails with `CameraError.deviceNotFound`.
        case absent
        /// The device does not have the size: connecting fails with `CameraError.inputConfigurationFailed`.
        case wrongSize
        /// The device does not start: connecting fails with `CameraError.sessionStartFailed`.
        case doesNotStart
        /// No new frame between the two times; the newest one stays.
        case stall(from: Duration, until: Duration)
        /// The device is gone between the two times, forever when `until` is `nil`. Frames end, and connecting
        /// fails until it is back; a lost connection does not come back by itself.
        case unplug(at: Duration, until: Duration?)
    }

    /// Everything that determines a camera's behaviour.
    public struct Configuration: Sendable {
        /// Width and height of the pictures in pixels.
        public var size: PixelSize
        /// Frames each second, above 0.
        public var framesPerSecond: Double
        /// What is seen.
        public var scene: Scene
        /// Determines textures, shapes and noise, and drawn scenes with what happens in them.
        public var seed: UInt64
        /// How pixels lie in memory; RGB costs a conversion for each frame.
        public var layout: PixelBuffer.Layout
        /// What a frame is; the files of a prepared scene are JPEG in any case.
        public var format: Format
        /// How long connecting takes.
        public var startup: Duration
        /// What goes wrong.
        public var faults: [Fault]

        /// Creates a configuration; without arguments a small, fast camera without faults.
        public init(
            size: PixelSize = PixelSize(width: 320, height: 180),
            framesPerSecond: Double = 30,
            scene: Scene = .shapes(detail: 0.2),
            seed: UInt64 = 1,
            layout: PixelBuffer.Layout = .i420,
            format: Format = .pixels,
            startup: Duration = .zero,
            faults: [Fault] = []
        ) {
            self.size = size
            self.framesPerSecond = framesPerSecond
            self.scene = scene
            self.seed = seed
            self.layout = layout
            self.format = format
            self.startup = startup
            self.faults = faults
        }
    }
}

extension FakeCamera.Configuration {
    /// The time between two frames, in whole nanoseconds.
    var period: Duration { .nanoseconds(max(1, Int64(1e9 / framesPerSecond))) }

    /// Whether frames are drawn.
    var hasPixels: Bool { if case .prepared = scene { false } else { true } }

    /// Whether frames are JPEG files.
    var hasFiles: Bool { !hasPixels || format != .pixels }

    /// Whether there is no device, `age` after it was first asked for.
    func isAbsent(after age: Duration) -> Bool {
        faults.contains { fault in
            switch fault {
            case .absent: true
            case .unplug(let start, let end): age >= start && end.map { age < $0 } ?? true
            case .permissionDenied, .wrongSize, .doesNotStart, .stall: false
            }
        }
    }

    /// Whether the cable was pulled later than `connecting` and not later than `age`.
    func wasUnplugged(after connecting: Duration, upTo age: Duration) -> Bool {
        faults.contains { fault in
            guard case .unplug(let start, _) = fault else { return false }
            return start > connecting && start <= age
        }
    }

    /// When a cable is pulled next, later than `age`.
    func nextUnplugging(after age: Duration) -> Duration? {
        faults.compactMap { fault in
            guard case .unplug(let start, _) = fault, start > age else { return nil }
            return start
        }
        .min()
    }

    /// The newest frame's number `elapsed` after connecting; `nil` when a stall held back even the first.
    func frameNumber(after elapsed: Duration, ageAtConnecting: Duration) -> Int? {
        var limit = elapsed
        var isStalled = false
        for case .stall(let start, let end) in faults {
            let age = elapsed + ageAtConnecting
            guard age >= start, age < end, start - ageAtConnecting <= limit else { continue }
            limit = start - ageAtConnecting
            isStalled = true
        }
        let number = limit.nanoseconds / period.nanoseconds
        // A frame due at the very moment of the stall is held back.
        let isHeldBack = isStalled && period * Int(number) == limit
        let newest = limit < .zero ? -1 : Int(number) - (isHeldBack ? 1 : 0)
        return newest < 0 ? nil : newest
    }
}

extension Duration {
    /// Whole nanoseconds, rounded towards zero.
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
