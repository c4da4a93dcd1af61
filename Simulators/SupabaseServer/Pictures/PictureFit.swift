import Services

/// What becomes of the size of a picture: the size to which it is scaled, and the middle of that which is kept.
///
/// A picture never gets larger. A side that was not asked for follows from the shape of the picture, except that it stays as it is where
/// the picture loses its shape.
/// Source: imgproxy `processing/calc_params.go` and its documentation of resizing types, with its default not to enlarge.
struct PictureFit: Sendable, Hashable {
    /// The whole picture, scaled.
    let scaled: PixelSize
    /// The middle of it.
    let kept: PixelSize

    init(_ size: PixelSize, _ change: PictureChange) {
        let resize = change.resize ?? .cover
        let (width, height) = (Double(size.width), Double(size.height))
        // How many pixels of the picture become one, in each direction.
        var across = change.width.map { width / Double($0) }
        var down = change.height.map { height / Double($0) }
        switch resize {
        case .fill: break
        case .cover, .contain:
            let both = [across, down].compactMap { $0 }
            across = resize == .cover ? both.min() : both.max()
            down = across
        }
        var (x, y) = (across ?? 1, down ?? 1)
        let least = min(x, y)
        if least < 1 { (x, y) = (x / least, y / least) }
        scaled = PixelSize(width: Self.side(size.width, x), height: Self.side(size.height, y))
        guard resize == .cover else {
            kept = scaled
            return
        }
        kept = PixelSize(
            width: min(scaled.width, change.width ?? scaled.width),
            height: min(scaled.height, change.height ?? scaled.height)
        )
    }

    private static func side(_ length: Int, _ shrink: Double) -> Int {
        min(length, max(1, Int((Double(length) / shrink).rounded())))
    }
}
