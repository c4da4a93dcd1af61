import Services

/// The part of a scene that a picture shows.
///
/// A scene is 1280 units wide at zoom 1 whatever the picture's size; a picture of 16:9 shows 720 units of its height, and others more or
/// less, around the same middle.
struct View: Hashable {
    /// The width that a picture shows at zoom 1.
    static let width = 1_280.0
    /// The height that a picture of 16:9 shows at zoom 1.
    static let height = 720.0

    /// Pixels of a unit.
    let scale: Double
    /// What is at the left edge of the picture.
    let left: Double
    /// What is at its upper edge.
    let top: Double
    /// The picture's size in pixels.
    let size: PixelSize

    /// What a camera shows that enlarges the middle.
    init(size: PixelSize, zoom: Double) {
        self.size = size
        scale = Double(size.width) / Self.width * zoom
        left = (Self.width - Double(size.width) / scale) / 2
        top = (Self.height - Double(size.height) / scale) / 2
    }

    /// What is seen of a box, at the scale of another view.
    init(_ box: Box, scale: Double) {
        self.scale = scale
        (left, top) = (box.x, box.y)
        // Even, as each sample of colour covers two pixels.
        func pixels(_ length: Double) -> Int { max(2, 2 * Int((length * scale / 2).rounded(.up))) }
        size = PixelSize(width: pixels(box.width), height: pixels(box.height))
    }

    /// What is at the right edge of the picture.
    var right: Double { left + Double(size.width) / scale }
    /// What is at its lower edge.
    var bottom: Double { top + Double(size.height) / scale }

    /// Whether a point is in the picture.
    func shows(_ point: (x: Double, y: Double)) -> Bool {
        point.x >= left && point.x < right && point.y >= top && point.y < bottom
    }
}

/// A rectangle of a scene.
struct Box: Hashable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    init(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
}
