extension Duration {
    /// A length of time as people type it: `90s`, `1.5s`, `10m` or `2h`; a number alone is of seconds.
    ///
    /// `nil` for any other text, and for a number that is not between 0.001 and 1,000,000.
    package init?(text: String) {
        let units = ["s": 1.0, "m": 60, "h": 3600]
        let unit = text.last.flatMap { units[String($0)] }
        // Also false for what is no number.
        guard let number = Double(unit == nil ? text : String(text.dropLast())),
            (0.001...1_000_000).contains(number)
        else { return nil }
        self = .milliseconds(Int64((number * (unit ?? 1) * 1000).rounded()))
    }
}
