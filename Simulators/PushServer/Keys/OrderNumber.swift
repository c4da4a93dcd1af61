/// A number modulo the order of the curve P-256.
///
/// Source: NIST SP 800-186, section 3.2.1.3, for the order.
struct OrderNumber: Equatable {
    private var high: UInt128
    private var low: UInt128

    private static let order = OrderNumber(
        high: 0xFFFF_FFFF_0000_0000_FFFF_FFFF_FFFF_FFFF,
        low: 0xBCE6_FAAD_A717_9E84_F3B9_CAC2_FC63_2551
    )

    private init(high: UInt128, low: UInt128) { (self.high, self.low) = (high, low) }

    /// Reads 32 bytes in network order; `nil` where the number is not below the order.
    init?(bytes: [UInt8]) {
        let number = Self.whole(bytes)
        guard number.isBelow(Self.order) else { return nil }
        self = number
    }

    /// Reads 32 bytes in network order, and reduces the number.
    init(reducing bytes: [UInt8]) {
        let number = Self.whole(bytes)
        // The order is more than half of what 256 bits hold.
        self = number.isBelow(Self.order) ? number : number.subtracting(Self.order)
    }

    var isZero: Bool { high == 0 && low == 0 }

    /// 32 bytes in network order.
    var bytes: [UInt8] {
        [high, low].flatMap { half in
            (0..<16).map { UInt8(truncatingIfNeeded: half >> UInt128(120 - 8 * $0)) }
        }
    }

    static func + (one: Self, other: Self) -> Self {
        let (low, carry) = one.low.addingReportingOverflow(other.low)
        let (partial, first) = one.high.addingReportingOverflow(other.high)
        let (high, second) = partial.addingReportingOverflow(carry ? 1 : 0)
        let sum = Self(high: high, low: low)
        return first || second || !sum.isBelow(order) ? sum.subtracting(order) : sum
    }

    static func * (one: Self, other: Self) -> Self {
        var product = Self(high: 0, low: 0)
        for half in [one.high, one.low] {
            for bit in (0..<128).reversed() {
                product = product + product
                if half >> UInt128(bit) & 1 == 1 { product = product + other }
            }
        }
        return product
    }

    /// What gives 1 when it is multiplied with this: its power to the order less two, which is a prime (Fermat).
    var inverse: Self {
        var result = Self(high: 0, low: 1)
        for half in [Self.order.high, Self.order.low - 2] {
            for bit in (0..<128).reversed() {
                result = result * result
                if half >> UInt128(bit) & 1 == 1 { result = result * self }
            }
        }
        return result
    }

    private func isBelow(_ other: Self) -> Bool { (high, low) < (other.high, other.low) }

    private func subtracting(_ other: Self) -> Self {
        let (low, borrow) = low.subtractingReportingOverflow(other.low)
        return Self(high: high &- other.high &- (borrow ? 1 : 0), low: low)
    }

    private static func whole(_ bytes: [UInt8]) -> Self {
        func half(_ bytes: ArraySlice<UInt8>) -> UInt128 { bytes.reduce(0) { $0 << 8 | UInt128($1) } }
        return Self(high: half(bytes.prefix(16)), low: half(bytes.dropFirst(16).prefix(16)))
    }
}
