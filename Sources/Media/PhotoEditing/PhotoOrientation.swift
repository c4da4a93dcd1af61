/// How the stored rows of a picture lie in the picture that a viewer shows: the values of the tag Orientation
/// (Exif 2.32, section 4.6.4 A; TIFF 6.0, page 36).
public enum PhotoOrientation: Int, Sendable, Hashable, CaseIterable {
    /// The first row is the top, the first column the left side.
    case up = 1
    /// The first row is the top, the first column the right side.
    case upMirrored = 2
    /// The first row is the bottom, the first column the right side.
    case down = 3
    /// The first row is the bottom, the first column the left side.
    case downMirrored = 4
    /// The first row is the left side, the first column the top.
    case leftMirrored = 5
    /// The first row is the right side, the first column the top: a phone that is held upright.
    case right = 6
    /// The first row is the right side, the first column the bottom.
    case rightMirrored = 7
    /// The first row is the left side, the first column the bottom.
    case left = 8

    /// Whether rows are shown as columns.
    var swapsSides: Bool { rawValue >= 5 }
    /// Whether the left side of the shown picture is at the end of a stored row, or of a stored column where sides are swapped.
    var startsAtEndOfRow: Bool { [.upMirrored, .down, .rightMirrored, .left].contains(self) }
    /// Whether the shown picture begins in the last stored row.
    var startsInLastRow: Bool { [.down, .downMirrored, .right, .rightMirrored].contains(self) }
}
