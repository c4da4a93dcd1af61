import Foundation

/// Counts different values without keeping them, to within about one per cent; counts merge exactly.
///
/// HyperLogLog (Flajolet, Fusy, Gandouet, Meunier, 2007) with 2^14 registers, and linear counting where few are filled.
public struct DistinctCount: Sendable, Hashable {
    private static let bits = 14
    /// Empty until the first value.
    private var registers: [UInt8] = []

    /// Of nothing.
    public init() {}

    /// Counts a value whose bits are well mixed, such as a hash.
    public mutating func add(_ hash: UInt64) {
        if registers.isEmpty { registers = Array(repeating: 0, count: 1 << Self.bits) }
        let index = Int(hash >> UInt64(64 - Self.bits))
        // A sentinel bit ends the run of zeros.
        let rest = hash << UInt64(Self.bits) | 1 << UInt64(Self.bits - 1)
        registers[index] = max(registers[index], UInt8(rest.leadingZeroBitCount + 1))
    }

    /// Counts what another has counted.
    public mutating func merge(_ other: DistinctCount) {
        if registers.isEmpty {
            registers = other.registers
        } else if !other.registers.isEmpty {
            for index in registers.indices {
                registers[index] = max(registers[index], other.registers[index])
            }
        }
    }

    /// How many there were, about.
    public var estimate: Int {
        if registers.isEmpty { return 0 }
        let count = Double(registers.count)
        let sum = registers.reduce(0.0) { $0 + pow(2, -Double($1)) }
        let raw = 0.7213 / (1 + 1.079 / count) * count * count / sum
        let empty = registers.count { $0 == 0 }
        return Int((raw <= 2.5 * count && empty > 0 ? count * log(count / Double(empty)) : raw).rounded())
    }
}

extension DistinctCount: Codable {
    /// Reads base64.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Data(base64Encoded: try container.decode(String.self)),
            bytes.isEmpty || bytes.count == 1 << Self.bits
        else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "not the registers of a count"
            )
        }
        registers = Array(bytes)
    }

    /// Writes base64.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data(registers).base64EncodedString())
    }
}
