import Foundation

/// Counts different values without keeping them, to within about one per cent; counts merge exactly.
///
/// HyperLogLog (Flajolet, Fusy, Gandouet, Meunier, 2007) with 2^14 registers, and linear counting where few are filled.
/// Only the filled ones are kept while they are few, since a sweep merges a count for every few runs.
public struct DistinctCount: Sendable, Hashable {
    private static let bits = 14
    private static let mostFew = 256
    /// The filled registers, by index, while they are few; equal counts have the same form.
    private var few: [Int: UInt8] = [:]
    /// All registers, once more are filled.
    private var registers: [UInt8] = []

    /// Of nothing.
    public init() {}

    /// Counts a value whose bits are well mixed, such as a hash.
    public mutating func add(_ hash: UInt64) {
        let index = Int(hash >> UInt64(64 - Self.bits))
        // A sentinel bit ends the run of zeros.
        let rest = hash << UInt64(Self.bits) | 1 << UInt64(Self.bits - 1)
        raise(index, to: UInt8(rest.leadingZeroBitCount + 1))
    }

    /// Counts what another has counted.
    public mutating func merge(_ other: DistinctCount) {
        if other.registers.isEmpty {
            for (index, value) in other.few { raise(index, to: value) }
        } else if registers.isEmpty {
            let own = few
            self = other
            for (index, value) in own { raise(index, to: value) }
        } else {
            for index in registers.indices {
                registers[index] = max(registers[index], other.registers[index])
            }
        }
    }

    private mutating func raise(_ index: Int, to value: UInt8) {
        guard registers.isEmpty else { return registers[index] = max(registers[index], value) }
        few[index] = max(few[index] ?? 0, value)
        if few.count > Self.mostFew {
            registers = all
            few = [:]
        }
    }

    /// Every register, or none where nothing was counted.
    private var all: [UInt8] {
        if few.isEmpty { return registers }
        var all = [UInt8](repeating: 0, count: 1 << Self.bits)
        for (index, value) in few { all[index] = value }
        return all
    }

    /// How many there were, about.
    public var estimate: Int {
        let filled = few.isEmpty ? registers.filter { $0 > 0 } : Array(few.values)
        if filled.isEmpty { return 0 }
        let count = Double(1 << Self.bits)
        let empty = count - Double(filled.count)
        let sum = empty + filled.reduce(0.0) { $0 + pow(2, -Double($1)) }
        let raw = 0.7213 / (1 + 1.079 / count) * count * count / sum
        return Int((raw <= 2.5 * count && empty > 0 ? count * log(count / empty) : raw).rounded())
    }
}

extension DistinctCount: Codable {
    /// Bytes of one register while they are few: its index, the higher byte first, and its value.
    private static let bytesOfFew = 3

    /// Reads base64: all registers, or the few that are filled.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let data = Data(base64Encoded: try container.decode(String.self)),
            data.count == 1 << Self.bits
                || data.count.isMultiple(of: Self.bytesOfFew) && data.count <= Self.mostFew * Self.bytesOfFew
        else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "not the registers of a count"
            )
        }
        let bytes = [UInt8](data)
        if bytes.count == 1 << Self.bits {
            registers = bytes
            return
        }
        for start in stride(from: 0, to: bytes.count, by: Self.bytesOfFew) {
            let index = Int(bytes[start]) << 8 | Int(bytes[start + 1])
            few[index % (1 << Self.bits)] = bytes[start + 2]
        }
    }

    /// Writes base64.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let bytes =
            registers.isEmpty
            ? few.sorted { $0.key < $1.key }.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff), $1] } : registers
        try container.encode(Data(bytes).base64EncodedString())
    }
}
