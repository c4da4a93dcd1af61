/// Where the keys of a served service come from.
package enum KeySource: Sendable {
    /// The same in every run, and known to every reader of the sources.
    case constant
    /// Drawn for one run; nobody can guess them.
    case drawn

    /// 256 bits of the system's generator, in hexadecimal.
    package static func random() -> String {
        (0..<4).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
