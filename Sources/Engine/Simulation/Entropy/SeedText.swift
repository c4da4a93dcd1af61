extension ClosedRange<UInt64> {
    /// Reads seeds as one types them: `5`, or `1...1000`; at most 2⁶³ − 1 of them, so that they can be counted.
    ///
    /// `nil` for any other text, such as `5...`, `9...1` or one with blanks.
    package init?(seeds text: String) {
        let ends = text.split(separator: "...", omittingEmptySubsequences: false).map { UInt64($0) }
        guard let first = ends[0], let last = ends[ends.count - 1], ends.count <= 2, first <= last,
            last - first < UInt64(Int.max)
        else { return nil }
        self = first...last
    }
}
