public import Services

/// What a camera looked at when it took a picture of a drawn scene, as the picture's code tells.
public struct Sight: Sendable, Hashable {
    /// The scene.
    public let scene: DrawnScene
    /// How much its middle was enlarged: from 1 to 4.1, in tenths.
    public let zoom: Double
    /// Whether the camera was focused on something near, so that small things far away are blurred.
    public let isFocusNear: Bool

    /// Makes a sight; the zoom is rounded to tenths.
    public init(scene: DrawnScene, zoom: Double = 1, isFocusNear: Bool = false) {
        self.scene = scene
        self.zoom = Double(min(31, max(0, Int(((zoom - 1) * 10).rounded())))) / 10 + 1
        self.isFocusNear = isFocusNear
    }

    /// What is in the picture of what happens, in the order of `DrawnScene.possible`.
    ///
    /// - Parameters:
    ///   - time: Since the camera connected.
    ///   - size: The picture's, of which only the proportions matter.
    public func happenings(at time: Duration, in size: PixelSize) -> [Happening] {
        let view = View(size: size, zoom: zoom)
        let moment = SceneMoment(scene, time)
        return scene.possible.filter { moment.middle(of: $0).map(view.shows) ?? false }
    }

    /// The words of the note that hangs in the scene, when they can be read; `nil` below threefold zoom, and when something near
    /// is in focus.
    public var note: String? {
        guard zoom >= SceneNote.legibleFrom, !isFocusNear else { return nil }
        return SceneLook(scene).note.joined(separator: " ")
    }

    /// The tenths above 1.
    var zoomTenths: Int { Int(((zoom - 1) * 10).rounded()) }
}

/// How a camera is pointed.
struct Aim: Hashable {
    /// What is below this share of the height is nearer than the rest of a scene.
    private static let near = 0.62

    var zoom = 1.0
    var focusPoint: FocusPoint?

    /// Whether the camera was told to focus on something near.
    var isFocusNear: Bool { focusPoint.map { $0.y > Self.near } ?? false }

    /// What it sees of a scene.
    func sight(of scene: DrawnScene) -> Sight { Sight(scene: scene, zoom: zoom, isFocusNear: isFocusNear) }
}
