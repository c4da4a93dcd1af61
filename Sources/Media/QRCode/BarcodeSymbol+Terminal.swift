public import Services

extension BarcodeSymbol {
    /// Draws it with block characters, two rows of modules in a line, with the quiet zone.
    ///
    /// - Parameter lightIsDrawn: Whether light modules are drawn and dark ones left empty, for light text on a dark ground; a code
    ///   with its colours exchanged is not read by all cameras.
    public func terminalLines(lightIsDrawn: Bool = true) -> [String] {
        let range = -Self.quietZone..<side + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            String(
                range.map { column -> Character in
                    let upper = isDark(row: row, column: column) != lightIsDrawn
                    // Below an odd number of rows there is nothing.
                    let lower =
                        row + 1 < range.upperBound && isDark(row: row + 1, column: column) != lightIsDrawn
                    return upper ? (lower ? "█" : "▀") : (lower ? "▄" : " ")
                }
            )
        }
    }
}
