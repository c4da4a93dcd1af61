import Crypto
import Foundation

/// A resumable upload on its way.
struct FileUpload: Sendable {
    let owner: String
    /// The id that the client wants for its file, or one that was drawn.
    let fileID: String
    let displayName: String?
    let mimeType: String
    /// What the client has announced.
    let byteCount: Int?
    let startedAt: Date
    private(set) var receivedCount = 0
    /// The bytes of a picture, which is decoded in the end; others are only hashed.
    private(set) var picture: [UInt8] = []
    /// Whether a request sends bytes now.
    var isBusy = false
    private var hash = SHA256()

    init(
        owner: String,
        fileID: String,
        displayName: String?,
        mimeType: String,
        byteCount: Int?,
        startedAt: Date
    ) {
        self.owner = owner
        self.fileID = fileID
        self.displayName = displayName
        self.mimeType = mimeType
        self.byteCount = byteCount
        self.startedAt = startedAt
    }

    var isPicture: Bool { MediaKind(mimeType) == .picture }

    mutating func take(_ bytes: [UInt8]) {
        receivedCount += bytes.count
        hash.update(data: bytes)
        if isPicture { picture += bytes }
    }

    var digest: [UInt8] { Array(hash.finalize()) }
}
