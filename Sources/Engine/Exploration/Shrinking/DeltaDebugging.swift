/// Finds a small part of a list that still has a property.
///
/// Delta debugging (Zeller, Hildebrandt: Simplifying and isolating failure-inducing input, 2002): tries to leave out
/// large pieces first, then ever smaller ones, until no single item can be left out.
///
/// - Parameters:
///   - items: The whole, which has the property.
///   - holds: Whether a part has it; the order of items is kept. Not asked any more once it has returned `nil`.
/// - Returns: A part that has the property; minimal unless `holds` ended the search.
func minimised<Item>(_ items: [Item], _ holds: ([Item]) -> Bool?) -> [Item] {
    var kept = items
    guard !kept.isEmpty else { return kept }
    guard let emptyHolds = holds([]) else { return kept }
    if emptyHolds { return [] }
    var pieces = 2
    while kept.count > 1 {
        let size = (kept.count + pieces - 1) / pieces
        var reduced = false
        var start = 0
        while start < kept.count {
            let rest = Array(kept[..<start] + kept[min(start + size, kept.count)...])
            guard let stillHolds = rest.isEmpty ? false : holds(rest) else { return kept }
            if stillHolds {
                kept = rest
                reduced = true
            } else {
                start += size
            }
        }
        if size == 1, !reduced { break }
        pieces = reduced ? max(2, min(pieces, kept.count)) : min(kept.count, pieces * 2)
    }
    return kept
}
