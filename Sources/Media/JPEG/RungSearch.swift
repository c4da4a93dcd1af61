import Services

/// The rung that was chosen, and which of the two file buffers holds its bytes.
struct Rung: Equatable {
    var quality: Int
    var file: Int
}

/// Finds the first rung that fits, with few encodes: a value that tells what to do next.
///
/// Sizes of a sample, multiplied up, tell where to begin. Once one rung's true size is known, the sample's
/// *ratio* between that rung and its neighbour predicts the neighbour within a few percent; a neighbour that is
/// predicted at ``margin`` times the limit or more is not tried, and one that must be far above the limit by the
/// sample's sizes at other rungs is not even sampled. No other state enters, so equal frames make equal decisions.
struct RungSearch {
    /// What to do next.
    enum Step: Equatable {
        /// Encode the sample at this quality.
        case probe(Int)
        /// Encode the frame at this quality.
        case encode(Int)
        case found(Rung)
        case nothingFits
    }

    /// A rung predicted this many times as large as the limit is taken not to fit (measured; see the decision record).
    static let margin = 1.01
    /// A sample up to this many times the limit may belong to a rung that fits (measured).
    static let sampleTolerance = 1.02
    /// The same for the lowest rung while no true size is known at all.
    static let blindMargin = 1.5
    /// A rung that is this many times as large as the limit even by ``leastEstimate(_:)`` is not sampled (measured; see
    /// the decision record).
    static let clearMargin = 1.1

    /// How large photographs get at each rung, compared with the first.
    static let typicalShares = [1, 0.78, 0.66, 0.58, 0.51, 0.43, 0.33, 0.21]

    private let qualities: [Int]
    private let limit: Int
    private let isSurelySmall: Bool
    private var probes: [Int: Double] = [:]
    private var sizes: [Int: Int] = [:]
    private var best: Rung?
    /// The index of the rung that was encoded last.
    private var anchor: Int?
    /// The buffer that does not hold ``best``.
    private(set) var spare = 0

    init(qualities: [Int], limit: Int, size: PixelSize) {
        self.qualities = qualities
        self.limit = limit
        // TurboJPEG's own bound for 4:2:0 (tjBufSize): 3 bytes for each pixel of whole MCUs, and 2,048.
        let padded = ((size.width + 15) / 16 * 16) * ((size.height + 15) / 16 * 16)
        isSurelySmall = padded * 3 + 2_048 < limit
    }

    /// Whether probing can help: not when the first rung must fit anyhow.
    var needsSample: Bool { !isSurelySmall }

    /// Decides the next step from what is known.
    func next(hasSample: Bool) -> Step {
        guard hasSample else { return plainStep() }
        return anchor.map(stepFrom) ?? firstStep()
    }

    /// Notes the sample's size at `quality`; `scale` is how many times larger the frame is.
    mutating func probed(_ quality: Int, byteCount: Int, scale: Double) {
        probes[quality] = max(1, Double(byteCount - Self.headerByteCount)) * scale
    }

    /// Notes the frame's true size at `quality`.
    mutating func encoded(_ quality: Int, byteCount: Int) {
        sizes[quality] = byteCount
        anchor = qualities.firstIndex(of: quality)
        guard byteCount < limit else { return }
        best = Rung(quality: quality, file: spare)
        spare = 1 - spare
    }

    /// Markers and tables of a baseline 4:2:0 file with standard Huffman tables, as TurboJPEG writes them.
    private static let headerByteCount = 623

    /// Without a sample: one rung after the other from the top.
    private func plainStep() -> Step {
        if let best { return .found(best) }
        let next = anchor.map { $0 + 1 } ?? 0
        return next < qualities.count ? .encode(qualities[next]) : .nothingFits
    }

    /// Before the first encode: probes the top, where most frames fit, then where the limit should lie by what is
    /// known so far, until a rung that should fit is found below one that should not.
    private func firstStep() -> Step {
        guard probes[qualities[0]] != nil else { return .probe(qualities[0]) }
        // Rungs before `low` should not fit, and those from `high` on should.
        let low = qualities.lastIndex { probes[$0].map(seemsToFit) == false }.map { $0 + 1 } ?? 0
        let high = qualities.firstIndex { probes[$0].map(seemsToFit) == true } ?? qualities.count
        guard low < high else { return begin(at: low) }
        if let guess = (low..<high).first(where: { estimate($0).map(seemsToFit) == true }) {
            return .probe(qualities[guess])
        }
        if let least = leastEstimate(high - 1), least >= Double(limit) * Self.clearMargin {
            return begin(at: high)
        }
        return .probe(qualities[high - 1])
    }

    private func begin(at index: Int) -> Step {
        if index < qualities.count { return .encode(qualities[index]) }
        let last = qualities[qualities.count - 1]
        let isHopeless = (probes[last] ?? 0) >= Double(limit) * Self.blindMargin
        return isHopeless ? .nothingFits : .encode(last)
    }

    /// Samples overestimate by a percent or five: a rung just above the limit is worth an encode.
    private func seemsToFit(_ size: Double) -> Bool {
        size + Double(Self.headerByteCount) < Double(limit) * Self.sampleTolerance
    }

    /// The sample's size at a rung where it was not encoded, between those of the nearest rungs where it was, or in
    /// proportion to the nearest above; `nil` without one above.
    private func estimate(_ index: Int) -> Double? {
        guard let above = (0..<index).last(where: isProbed) else { return nil }
        if let below = rungs(after: index).first(where: isProbed) { return onLine(above, below, at: index) }
        return probes[qualities[above]].map { $0 * Self.typicalShares[index] / Self.typicalShares[above] }
    }

    /// The same by the two nearest rungs below too, and of both the smaller; `nil` without two below.
    ///
    /// One is too small where sizes rise ever faster, the other where they rise ever slower.
    private func leastEstimate(_ index: Int) -> Double? {
        guard let between = estimate(index), let below = rungs(after: index).first(where: isProbed),
            let lowest = rungs(after: below).first(where: isProbed),
            let continued = onLine(below, lowest, at: index)
        else { return nil }
        return min(between, continued)
    }

    /// The size at `index` on the straight line through those of two rungs, over their typical shares.
    private func onLine(_ first: Int, _ second: Int, at index: Int) -> Double? {
        guard let from = probes[qualities[first]], let to = probes[qualities[second]] else { return nil }
        let shares = Self.typicalShares
        return from + (to - from) * (shares[first] - shares[index]) / (shares[first] - shares[second])
    }

    private func isProbed(_ index: Int) -> Bool { probes[qualities[index]] != nil }

    private func rungs(after index: Int) -> Range<Int> { index + 1..<max(index + 1, qualities.count) }

    /// After an encode: up while a better rung may fit, down while none has.
    private func stepFrom(_ anchor: Int) -> Step {
        if let best, let index = qualities.firstIndex(of: best.quality) {
            guard index > 0, sizes[qualities[index - 1]] == nil else { return .found(best) }
            return tryRung(index - 1) ?? .found(best)
        }
        for index in rungs(after: anchor) {
            if let step = tryRung(index) { return step }
        }
        return .nothingFits
    }

    /// The step that settles whether the rung at `index` fits; `nil` when it is predicted not to.
    private func tryRung(_ index: Int) -> Step? {
        let quality = qualities[index]
        guard let anchor, let known = sizes[qualities[anchor]], let reference = probes[qualities[anchor]]
        else {
            return probes[quality] == nil ? .probe(quality) : .encode(quality)
        }
        /// In multiples of the limit.
        func predicted(_ sample: Double) -> Double { Double(known) * sample / reference / Double(limit) }
        if let probe = probes[quality] { return predicted(probe) < Self.margin ? .encode(quality) : nil }
        if let least = leastEstimate(index), predicted(least) >= Self.clearMargin { return nil }
        return .probe(quality)
    }
}
