/// A cyclic redundancy check of 32 or 64 bits, in the reflected form.
struct CyclicChecksum: Sendable {
    /// CRC-32 of ISO-HDLC, of Castagnoli, and CRC-64 of NVMe.
    ///
    /// Source: G. Cook, "Catalogue of parametrised CRC algorithms".
    enum Polynomial: Sendable {
        case iso, castagnoli, nvme

        var width: Int { self == .nvme ? 64 : 32 }

        fileprivate var table: [UInt64] {
            switch self {
            case .iso: Self.isoTable
            case .castagnoli: Self.castagnoliTable
            case .nvme: Self.nvmeTable
            }
        }

        private static let isoTable = table(0xEDB8_8320)
        private static let castagnoliTable = table(0x82F6_3B78)
        private static let nvmeTable = table(0x9A6C_9329_AC4B_C9B5)

        private static func table(_ reflected: UInt64) -> [UInt64] {
            (0..<256).map { index in
                (0..<8).reduce(UInt64(index)) { value, _ in
                    value & 1 == 0 ? value >> 1 : value >> 1 ^ reflected
                }
            }
        }
    }

    private let width: Int
    private let table: [UInt64]
    private var value: UInt64

    init(_ polynomial: Polynomial) {
        (width, table) = (polynomial.width, polynomial.table)
        value = UInt64.max >> (64 - UInt64(polynomial.width))
    }

    mutating func update(_ bytes: [UInt8]) {
        var value = value
        for byte in bytes {
            value = table[Int(truncatingIfNeeded: (value ^ UInt64(byte)) & 0xFF)] ^ value >> 8
        }
        self.value = value
    }

    /// The check, its highest byte first.
    var bytes: [UInt8] {
        let value = ~value
        return stride(from: width - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: value >> UInt64($0))
        }
    }
}
