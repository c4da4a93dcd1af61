extension Duration {
    /// Seconds with an `s`, and with three or nine decimals where needed (protobuf's JSON form).
    var protobufJSON: String {
        let (seconds, attoseconds) = components
        let nanoseconds = attoseconds / 1_000_000_000
        if nanoseconds == 0 { return "\(seconds)s" }
        let milliseconds = nanoseconds / 1_000_000
        let isWhole = nanoseconds.isMultiple(of: 1_000_000)
        let digits = String(isWhole ? milliseconds : nanoseconds)
        return "\(seconds).\(String(repeating: "0", count: (isWhole ? 3 : 9) - digits.count))\(digits)s"
    }
}
