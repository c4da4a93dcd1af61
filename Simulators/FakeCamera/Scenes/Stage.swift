import Glibc
import Services

/// Draws the frames of a drawn scene as one view shows them: a copy of the background, and figures over it.
///
/// Used under the camera's lock. Backgrounds and figures are painted when they are first needed.
final class Stage {
    /// Forms that are kept; the hands of a clock have a new one each second.
    private static let mostSprites = 160

    let view: View
    private let scene: DrawnScene
    private let art: any SceneArt
    private var backdrops: [SceneBackdrop: PixelBuffer] = [:]
    private var sprites: [Figure.Form: Sprite] = [:]

    init(_ scene: DrawnScene, _ view: View) {
        self.scene = scene
        self.view = view
        let look = SceneLook(scene)
        art = scene.place == .room ? Room(look) : FrontDoor(look)
    }

    /// Draws a frame, but for its code.
    func draw(
        _ number: Int,
        at time: Duration,
        isFocusNear: Bool,
        into bytes: UnsafeMutableRawBufferPointer,
        _ canvas: Canvas
    ) {
        let moment = SceneMoment(scene, time)
        let isChanged = moment.box(of: scene.place == .room ? .lampShines : .rainFalls) != nil
        let backdrop = backdrop(SceneBackdrop(isChanged: isChanged, isFocusNear: isFocusNear))
        unsafe backdrop.withBytes { unsafe bytes.copyMemory(from: $0) }
        for figure in art.figures(at: moment, number: number) {
            let sprite = sprite(figure)
            unsafe sprite.draw(x: figure.box.x, y: figure.box.y, view, canvas, into: bytes)
        }
    }

    private func backdrop(_ wanted: SceneBackdrop) -> PixelBuffer {
        if let ready = backdrops[wanted] { return ready }
        let picture = PixelBuffer(size: view.size, layout: .i420)
        let painter = Painter(view: view, picture: picture)
        // Where two shapes meet, the pixels between them show what is below both.
        painter.fillAll(Paint(0x9A9488))
        art.paintBackdrop(painter, wanted)
        backdrops[wanted] = picture
        return picture
    }

    private func sprite(_ figure: Figure) -> Sprite {
        if let ready = sprites[figure.form] { return ready }
        if sprites.count >= Self.mostSprites { sprites = [:] }
        let box = Box(0, 0, figure.box.width, figure.box.height)
        let sprite = Sprite(box, scale: view.scale) { art.paint(figure.form, $0) }
        sprites[figure.form] = sprite
        return sprite
    }
}
