import Transport

/// Overwrites known secrets in the datagrams that one socket receives, also where one lies across two pieces of a stream.
///
/// Each byte stays in its place, since a replay delivers the datagrams again. A datagram is written as soon as it has come, whatever comes
/// after it: what stands at the edge of a piece, and may be a part of a secret whose rest is in a piece that is not known, is overwritten too,
/// from ``leastPart`` bytes on. Where the secret was no secret, a replay has those few bytes wrong.
struct DatagramMask: Sendable {
    /// Shorter parts of a secret are left at the edge of a piece; in pictures they would be found by chance.
    static let leastPart = 3
    /// Pieces of a stream whose ends are remembered.
    private static let mostPieces = 64

    private struct End {
        var number: UInt16
        var bytes: [UInt8]
    }

    /// The ends of the newest pieces, by stream.
    private var ends: [Int: [End]] = [:]

    /// The datagram without the secrets.
    mutating func blanked(_ datagram: ClearDatagram, _ mask: SecretMask) -> [UInt8] {
        guard !mask.isEmpty else { return datagram.bytes }
        let start = min(max(0, datagram.place?.start ?? 0), datagram.bytes.count)
        let piece = Array(datagram.bytes[start...])
        let before = end(before: datagram.place)
        var blanked = mask.blanked(Array(datagram.bytes[..<start])) + piece
        for turn in datagram.masks {
            let whole = (before ?? []).map { $0 ^ turn } + piece.map { $0 ^ turn }
            let offset = whole.count - piece.count
            var secrets = mask.ranges(in: whole)
            if datagram.place != nil {
                let open = mask.openCount(whole)
                if open >= Self.leastPart { secrets.append(whole.count - open..<whole.count) }
                let rest = before == nil ? mask.restCount(whole) : 0
                if rest >= Self.leastPart { secrets.append(0..<rest) }
            }
            for range in secrets {
                for index in range where index >= offset {
                    blanked[start + index - offset] = UInt8(ascii: "*")
                }
            }
        }
        if let place = datagram.place { remember(piece, after: before ?? [], place, mask) }
        return blanked
    }

    private func end(before place: ClearDatagram.Place?) -> [UInt8]? {
        guard let place else { return nil }
        return ends[place.stream]?.last { $0.number == place.number &- 1 }?.bytes
    }

    private mutating func remember(
        _ piece: [UInt8],
        after before: [UInt8],
        _ place: ClearDatagram.Place,
        _ mask: SecretMask
    ) {
        var all = ends[place.stream] ?? []
        all.removeAll { $0.number == place.number }
        all.append(End(number: place.number, bytes: Array((before + piece).suffix(mask.longest - 1))))
        ends[place.stream] = Array(all.suffix(Self.mostPieces))
    }
}
