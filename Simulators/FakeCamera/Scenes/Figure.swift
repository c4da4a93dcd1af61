import Services

/// Something that is laid over the background of a scene: painted once for each of its forms, and drawn at its place in each frame.
struct Figure {
    /// What is laid there.
    enum Name {
        case cloud, hands, secondHand, digit, ball, sleepingPet, walkingPet
        case car, trunk, corner, plate, parcel, visitor, visitorWithUmbrella, drop
    }

    /// What tells forms of one thing apart, such as the step of a walk.
    struct Form: Hashable {
        var name: Name
        var number = 0
        var isMirrored = false
    }

    /// What it looks like.
    var form: Form
    /// Where it is.
    var box: Box

    init(_ name: Name, _ box: Box, number: Int = 0, isMirrored: Bool = false) {
        form = Form(name: name, number: number, isMirrored: isMirrored)
        self.box = box
    }
}

/// What a scene looks like.
protocol SceneArt {
    /// Paints what does not move.
    func paintBackdrop(_ painter: Painter, _ backdrop: SceneBackdrop)

    /// What lies over it, the farthest first.
    func figures(at moment: SceneMoment, number: Int) -> [Figure]

    /// Paints a figure, in coordinates from the upper left corner of its box.
    func paint(_ form: Figure.Form, _ painter: Painter)
}

/// What decides a scene's background.
struct SceneBackdrop: Hashable {
    /// Whether the lamp is on or rain falls.
    var isChanged: Bool
    /// Whether something nearer than the note is in focus.
    var isFocusNear: Bool
}

extension Painter {
    /// Fills a rectangle with round corners.
    func rectangle(
        _ x: Double,
        _ y: Double,
        _ width: Double,
        _ height: Double,
        _ paint: Paint,
        radius: Double = 0,
        opacity: Double = 1
    ) {
        fill(.rectangle(x, y, width, height, radius: radius), paint, opacity: opacity)
    }

    /// Fills an ellipse around a point.
    func ellipse(
        _ x: Double,
        _ y: Double,
        _ width: Double,
        _ height: Double,
        _ paint: Paint,
        opacity: Double = 1
    ) {
        fill(.ellipse(x, y, width, height), paint, opacity: opacity)
    }

    /// Fills a polygon that no horizontal line leaves and enters again.
    func polygon(_ points: [(x: Double, y: Double)], _ paint: Paint, opacity: Double = 1) {
        fill(.polygon(points), paint, opacity: opacity)
    }

    /// Draws a straight stroke with round ends.
    func stroke(_ x: Double, _ y: Double, _ toX: Double, _ toY: Double, width: Double, _ paint: Paint) {
        fill(.line((x, y), (toX, toY), width: width), paint)
        fill(.disc(x, y, width / 2), paint)
        fill(.disc(toX, toY, width / 2), paint)
    }

    /// Paints a note of two lines; from nearby it is blurred where something else is in focus.
    func note(_ lines: [String], x: Double, y: Double, isSharp: Bool) {
        rectangle(x + 1, y + 1.5, SceneNote.width, SceneNote.height, Paint(0), opacity: 0.18)
        rectangle(x, y, SceneNote.width, SceneNote.height, Paint(0xFD_F4C3))
        rectangle(x + SceneNote.width / 2 - 5, y - 2, 10, 4, Paint(0xD8_7F6E), opacity: 0.8)
        for (row, line) in lines.enumerated() {
            let top = y + SceneNote.inset.y + Double(row) * SceneNote.lineHeight
            let left = x + SceneNote.inset.x
            if isSharp {
                write(line, x: left, y: top, dot: SceneNote.dot, Paint(0x2E_2A28))
            } else {
                let width = Double(line.count * Lettering.advance - 1) * SceneNote.dot
                let height = Double(Lettering.height) * SceneNote.dot
                rectangle(left, top, width, height, Paint(0x6E_6858), radius: 2, opacity: 0.35)
            }
        }
    }
}

/// The measures of a note: its letters are read at ``legibleFrom`` and not without a zoom.
enum SceneNote {
    static let width = 36.0
    static let height = 16.0
    static let dot = 0.56
    static let inset = (x: 3.0, y: 3.0)
    static let lineHeight = 6.0
    /// The least zoom at which it is read.
    static let legibleFrom = 3.0
    /// Places of its upper left corner.
    static func corner(in place: DrawnScene.Place) -> (x: Double, y: Double) {
        switch place {
        case .room: (622, 294)
        case .frontDoor: (719, 300)
        }
    }
}
