extension Collection where Element: Hashable {
    /// Whether no two elements are equal.
    package var hasNoDuplicates: Bool { Set(self).count == count }
}
