import Services
import Transport

/// Overwrites known secrets in the datagrams that one socket receives, also where one lies across two pieces of a stream.
///
/// Each byte stays in its place, since a replay delivers the datagrams again. A datagram is written as soon as it has come, whatever comes
/// after it: what stands at the edge of a piece, and may be a part of a secret whose rest is in a piece that is not known, is overwritten too,
/// from ``leastPart`` bytes on. Where the secret was no secret, a replay has those few bytes wrong.
///
/// What stands under the name of a credential is overwritten too, as far as it begins in the same datagram or in one that came in its
/// stream's order; the rest of one that came before its beginning is not known.
struct DatagramMask: Sendable {
    /// Shorter parts of a secret are left at the edge of a piece; in pictures they would be found by chance.
    static let leastPart = 3
    /// Pieces of a stream whose ends are remembered.
    private static let mostPieces = 64

    /// A search for names of credentials in one form of a stream, up to a piece.
    private struct Search {
        var number: UInt16
        var redaction: BodyRedaction
    }

    /// Which stream, and which of its forms.
    private struct Form: Hashable {
        var stream: Int
        var turn: UInt8
    }

    private struct End {
        var number: UInt16
        var bytes: [UInt8]
    }

    /// The ends of the newest pieces, by stream.
    private var ends: [Int: [End]] = [:]
    private var searches: [Form: Search] = [:]

    /// The datagram without what stands under the names of credentials, and what that is.
    mutating func redacted(_ datagram: ClearDatagram) -> (ClearDatagram, found: [Secret]) {
        var (redacted, found) = (datagram, [Secret]())
        let start = min(max(0, datagram.place?.start ?? 0), datagram.bytes.count)
        for turn in datagram.masks {
            var redaction = search(datagram.place, turn) ?? BodyRedaction(isInPlace: true)
            let piece = datagram.bytes[start...].map { $0 ^ turn }
            for (index, byte) in redaction.pass(piece, word: { _ in Redaction.word }).enumerated()
            where byte != piece[index] {
                redacted.bytes[start + index] = byte
            }
            found += redaction.takeFound().map { Secret($0) }
            guard let place = datagram.place else { continue }
            let form = Form(stream: place.stream, turn: turn)
            // One that came before its turn, or again, leaves the search where it is.
            if let last = searches[form]?.number, Int16(bitPattern: place.number &- last) <= 0 { continue }
            searches[form] = Search(number: place.number, redaction: redaction)
        }
        return (redacted, found)
    }

    /// The search that goes on in a piece; `nil` where the piece before it did not come before it.
    private func search(_ place: ClearDatagram.Place?, _ turn: UInt8) -> BodyRedaction? {
        guard let place, let last = searches[Form(stream: place.stream, turn: turn)],
            last.number == place.number &- 1
        else { return nil }
        return last.redaction
    }

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
