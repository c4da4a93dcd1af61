import CQREncode
public import Services

/// Makes QR codes by libqrencode.
///
/// A text becomes bytes of UTF-8 without a mark of their encoding, as phones and cameras expect it. The same text always gives the
/// same code.
public struct QRCodeMaker: BarcodeMaker {
    /// How much of a code may be damaged without a loss.
    public enum Correction: Sendable, Hashable, CaseIterable {
        /// 7 %; what cameras are shown, since it has the largest modules.
        case low
        /// 15 %.
        case medium
        /// 25 %.
        case quartile
        /// 30 %.
        case high

        /// The bytes that the largest code has room for (ISO/IEC 18004 table 7, version 40).
        public var mostBytes: Int {
            switch self {
            case .low: 2953
            case .medium: 2331
            case .quartile: 1663
            case .high: 1273
            }
        }

        fileprivate var level: QRecLevel {
            switch self {
            case .low: QR_ECLEVEL_L
            case .medium: QR_ECLEVEL_M
            case .quartile: QR_ECLEVEL_Q
            case .high: QR_ECLEVEL_H
            }
        }
    }

    private let correction: Correction

    /// Makes a maker of codes with this correction of errors.
    public init(correction: Correction = .low) { self.correction = correction }

    /// Makes the smallest code that says a text.
    ///
    /// - Throws: `noText`, `textTooLong`, `unavailable`.
    public func symbol(of text: String) throws(BarcodeError) -> BarcodeSymbol {
        try symbol(of: Array(text.utf8))
    }

    /// Makes the smallest code that says these bytes.
    ///
    /// - Throws: `noText`, `textTooLong`, `unavailable`.
    public func symbol(of bytes: [UInt8]) throws(BarcodeError) -> BarcodeSymbol {
        guard !bytes.isEmpty else { throw .noText }
        guard bytes.count <= correction.mostBytes else {
            throw .textTooLong(bytes: bytes.count, most: correction.mostBytes)
        }
        // 0 is the smallest version that has room.
        guard let code = unsafe QRcode_encodeData(Int32(bytes.count), bytes, 0, correction.level) else {
            throw .unavailable
        }
        defer { unsafe QRcode_free(code) }
        let side = unsafe Int(code.pointee.width)
        // The lowest bit of each byte is the module; the others are the library's own notes.
        let modules = (0..<side * side).map { unsafe code.pointee.data[$0] & 1 == 1 }
        return BarcodeSymbol(side: side, modules: modules)
    }
}
