import PeerKit
import Services

/// Uniform random bytes, of which each frame shows another stretch.
struct NoiseField {
    /// How much longer the field is than a picture.
    private static let slack = 8_192
    private let bytes: [UInt64]
    private let seed: UInt64

    init(size: PixelSize, numbers: inout SeededNumbers) {
        let count = PixelBuffer.Layout.i420.byteCount(of: size) + Self.slack
        bytes = unsafe [UInt64](unsafeUninitializedCapacity: count / 8 + 1) { words, initialized in
            initialized = count / 8 + 1
            var index = 0
            while index < initialized {
                unsafe words[index] = numbers.next()
                index += 1
            }
        }
        seed = numbers.next()
    }

    /// Fills the whole picture, luma and chroma.
    func draw(_ frame: Int, into target: UnsafeMutableRawBufferPointer) {
        var numbers = SeededNumbers(seed: seed ^ UInt64(truncatingIfNeeded: frame))
        let offset = Int(numbers.next() % UInt64(Self.slack))
        unsafe bytes.withUnsafeBytes { source in
            unsafe target.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: source[offset..<offset + target.count])
            )
        }
    }
}
