/// A key of RSA whose signatures draw no random numbers: for services inside a simulation.
///
/// The library hides its key from who measures times by random numbers, which would shift all later draws of a seed. The signature itself is
/// the same: PKCS #1 v1.5 has no random part. This key has 32 factors of 64 bits each, so that signing takes a fraction of a
/// millisecond without any big arithmetic; verifiers see 2048 bits and the exponent 65,537. Anybody can find the factors: they are below.
struct RepeatableRSAKey: Sendable {
    /// One of the primes that make the modulus.
    private struct Factor: Sendable {
        let prime: UInt64
        /// The inverse of the public exponent, modulo the prime less one.
        let exponent: UInt64
        /// The product of all other primes, lowest limb first.
        let cofactor: [UInt64]
        /// The inverse of the cofactor, modulo the prime.
        let inverse: UInt64
    }

    /// How many keys there are.
    static let count = 3
    static let all: [RepeatableRSAKey] = (0..<count).map { RepeatableRSAKey($0) }

    private static let factorCount = 32
    private static let publicExponent: UInt64 = 65_537

    /// How far the largest primes of 64 bits are below 2^64; those less one are no multiples of the public exponent.
    private static let distances: [UInt64] = [
        59, 83, 95, 179, 189, 257, 279, 323, 353, 363, 425, 453, 503, 743, 825, 843, 845, 897, 899, 935, 945,
        1023,
        1025, 1077, 1079, 1235, 1275, 1323, 1379, 1469, 1475, 1487, 1505, 1517, 1569, 1583, 1607, 1665, 1755,
        1799,
        1805, 1839, 1859, 1883, 1949, 1995, 2003, 2033, 2045, 2097, 2133, 2175, 2253, 2285, 2289, 2309, 2379,
        2463,
        2493, 2549, 2555, 2597, 2633, 2717, 2729, 2757, 2769, 2807, 2913, 3017, 3029, 3059, 3105, 3113, 3119,
        3135,
        3219, 3225, 3237, 3263, 3267, 3329, 3345, 3377, 3423, 3497, 3543, 3563, 3795, 3819, 3839, 3885, 3909,
        3947,
        3959, 4079,
    ]

    private let factors: [Factor]
    /// Lowest limb first.
    private let product: [UInt64]

    private init(_ number: Int) {
        let primes = Self.distances[(number * Self.factorCount)...].prefix(Self.factorCount).map { 0 &- $0 }
        product = primes.reduce([1]) { Self.product($0, $1) }
        factors = primes.indices.map { index in
            let prime = primes[index]
            let others = primes.enumerated().filter { $0.offset != index }.map(\.element)
            let cofactor = others.reduce([1]) { Self.product($0, $1) }
            let rest = Self.remainder(cofactor, prime)
            return Factor(
                prime: prime,
                exponent: Self.privateExponent(of: prime),
                cofactor: cofactor,
                // Fermat: a prime's inverses are powers.
                inverse: Self.power(rest, prime - 2, modulo: prime)
            )
        }
    }

    /// The modulus in network order.
    var modulus: [UInt8] { Self.bytes(product) }

    /// A number below the modulus to the power of the private exponent; both in network order, of as many bytes as the modulus.
    ///
    /// Source: RFC 8017 section 5.2.1, with more factors than two as section 3.2 allows.
    func power(_ message: [UInt8]) -> [UInt8] {
        let number = Self.limbs(message)
        // The Chinese remainder theorem; each summand is below the modulus.
        var sum = [UInt64](repeating: 0, count: product.count + 1)
        for factor in factors {
            let rest = Self.power(
                Self.remainder(number, factor.prime),
                factor.exponent,
                modulo: factor.prime
            )
            let share = Self.product(rest, factor.inverse, modulo: factor.prime)
            Self.add(Self.product(factor.cofactor, share), to: &sum)
        }
        while !Self.isBelow(sum, product) { Self.subtract(product, from: &sum) }
        return Self.bytes(Array(sum.prefix(product.count)))
    }

    // MARK: Modulo a prime

    private static func product(_ first: UInt64, _ second: UInt64, modulo prime: UInt64) -> UInt64 {
        prime.dividingFullWidth(first.multipliedFullWidth(by: second)).remainder
    }

    private static func power(_ base: UInt64, _ exponent: UInt64, modulo prime: UInt64) -> UInt64 {
        var (result, square, rest) = (1 as UInt64, base, exponent)
        while rest > 0 {
            if rest & 1 == 1 { result = product(result, square, modulo: prime) }
            square = product(square, square, modulo: prime)
            rest >>= 1
        }
        return result
    }

    private static func remainder(_ number: [UInt64], _ prime: UInt64) -> UInt64 {
        number.reversed().reduce(0) { prime.dividingFullWidth(($0, $1)).remainder }
    }

    /// The number d for which e · d is one more than a multiple of the prime less one.
    private static func privateExponent(of prime: UInt64) -> UInt64 {
        let rest = (prime - 1) % publicExponent
        let factor = power(publicExponent - rest, publicExponent - 2, modulo: publicExponent)
        let multiple = factor.multipliedFullWidth(by: prime - 1)
        let (low, carries) = multiple.low.addingReportingOverflow(1)
        return publicExponent.dividingFullWidth((multiple.high + (carries ? 1 : 0), low)).quotient
    }

    // MARK: Limbs

    private static func product(_ number: [UInt64], _ factor: UInt64) -> [UInt64] {
        var (result, carry) = ([UInt64](), 0 as UInt64)
        for limb in number {
            let part = limb.multipliedFullWidth(by: factor)
            let (low, carries) = part.low.addingReportingOverflow(carry)
            result.append(low)
            carry = part.high + (carries ? 1 : 0)
        }
        if carry > 0 { result.append(carry) }
        return result
    }

    private static func add(_ number: [UInt64], to sum: inout [UInt64]) {
        var carry: UInt64 = 0
        for index in sum.indices {
            let (part, first) = sum[index].addingReportingOverflow(index < number.count ? number[index] : 0)
            let (whole, second) = part.addingReportingOverflow(carry)
            sum[index] = whole
            carry = (first ? 1 : 0) + (second ? 1 : 0)
        }
    }

    private static func subtract(_ number: [UInt64], from sum: inout [UInt64]) {
        var borrow: UInt64 = 0
        for index in sum.indices {
            let (part, first) = sum[index].subtractingReportingOverflow(
                index < number.count ? number[index] : 0
            )
            let (whole, second) = part.subtractingReportingOverflow(borrow)
            sum[index] = whole
            borrow = (first ? 1 : 0) + (second ? 1 : 0)
        }
    }

    private static func isBelow(_ sum: [UInt64], _ number: [UInt64]) -> Bool {
        for index in sum.indices.reversed() {
            let other = index < number.count ? number[index] : 0
            if sum[index] != other { return sum[index] < other }
        }
        return false
    }

    private static func bytes(_ limbs: [UInt64]) -> [UInt8] {
        limbs.reversed().flatMap { limb in (0..<8).map { UInt8(truncatingIfNeeded: limb >> (56 - 8 * $0)) } }
    }

    private static func limbs(_ bytes: [UInt8]) -> [UInt64] {
        stride(from: 0, to: bytes.count, by: 8).map { start in
            bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        .reversed()
    }
}
