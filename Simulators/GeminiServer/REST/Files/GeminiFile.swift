/// An uploaded file, as far as a prompt uses it.
struct GeminiFile: Sendable, Hashable {
    /// With `files/`.
    var name: String
    var mimeType: String
    var byteCount: Int
    /// What a picture shows.
    var inspection: FrameInspection?
}
