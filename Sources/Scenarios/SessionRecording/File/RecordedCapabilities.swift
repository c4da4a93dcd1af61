import Services

/// What the camera of a session could do, as the session keeps it.
struct RecordedCapabilities: Codable {
    private struct Size: Codable {
        var width: Int
        var height: Int
    }

    private var sizes: [Size]
    private var leastZoom: Double
    private var mostZoom: Double
    private var hasFocusPoint: Bool

    init(_ capabilities: CameraCapabilities) {
        sizes = capabilities.sizes.map { Size(width: $0.width, height: $0.height) }
        (leastZoom, mostZoom) = (capabilities.zoom.lowerBound, capabilities.zoom.upperBound)
        hasFocusPoint = capabilities.hasFocusPoint
    }

    /// `nil` for values that no camera has.
    var capabilities: CameraCapabilities? {
        guard leastZoom <= mostZoom else { return nil }
        return CameraCapabilities(
            sizes: sizes.map { PixelSize(width: $0.width, height: $0.height) },
            zoom: leastZoom...mostZoom,
            hasFocusPoint: hasFocusPoint
        )
    }
}
