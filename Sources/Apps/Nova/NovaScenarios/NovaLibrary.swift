internal import JPEG
internal import Nova
internal import Services
internal import Synchronization

/// The photos of the phone, of which the person picks one after the other.
final class NovaLibrary: PhotoSource {
    /// Pixels of a photo: enough to tell it from others.
    private static let side = 24

    private let picked = Mutex(0)

    func pick() async throws(NovaError) -> [UInt8]? {
        let number = picked.withLock { count in
            count += 1
            return count
        }
        let pixels = PixelBuffer(size: PixelSize(width: Self.side, height: Self.side), layout: .rgb)
        unsafe pixels.withMutableBytes { bytes in
            for index in bytes.indices { unsafe bytes[index] = UInt8((number * 61 + index * 3) % 256) }
        }
        do { return try JPEGEncoder().encode(pixels, quality: 90) } catch { throw NovaError.noPicture }
    }
}
