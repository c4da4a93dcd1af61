extension PixelSize {
    /// Reads `640x360`, if a camera can have that size.
    package init?(text: String) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let width = parts[0], let height = parts[1], (160...7680).contains(width),
            (90...4320).contains(height)
        else { return nil }
        self.init(width: width, height: height)
    }

    /// The size as one types it.
    package var text: String { "\(width)x\(height)" }
}
