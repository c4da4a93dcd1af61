import Foundation
import Yams

extension FaultPlan {
    /// Reads a plan in YAML; JSON is YAML too.
    ///
    /// - Throws: ``FaultPlanError`` for what is no plan, is of another version, or has an unknown key or an invalid value.
    public init(text: String) throws(FaultPlanError) {
        struct Head: Decodable { var version: Int? }
        let decoder = YAMLDecoder()
        let plan: FaultPlan
        do {
            let version = try decoder.decode(Head.self, from: text).version
            guard version == Self.currentVersion else { throw FaultPlanError.version(version) }
            plan = try decoder.decode(FaultPlan.self, from: text)
        } catch let error as FaultPlanError {
            throw error
        } catch DecodingError.typeMismatch(_, let context) where context.codingPath.isEmpty {
            throw .version(nil)
        } catch {
            throw .unreadable(Self.words(error))
        }
        try plan.check()
        self = plan
    }

    /// The plan in YAML, which ``init(text:)`` reads; numbers have 15 digits.
    public var text: String {
        let encoder = YAMLEncoder()
        encoder.options.sortKeys = true
        do { return try encoder.encode(self) } catch { preconditionFailure("a plan is plain data: \(error)") }
    }

    /// What is wrong and where, without the decoder's own names.
    private static func words(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        let (context, what): (DecodingError.Context, String) =
            switch error {
            case .keyNotFound(let key, let context): (context, "“\(key.stringValue)” is missing")
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                (context, context.debugDescription)
            @unknown default: (.init(codingPath: [], debugDescription: ""), "\(error)")
            }
        let place = context.codingPath.map { $0.intValue.map { "\($0 + 1)." } ?? $0.stringValue }
        return place.isEmpty ? what : "\(place.joined(separator: " ")): \(what)"
    }

    /// Checks what types cannot say.
    func check() throws(FaultPlanError) {
        func probability(_ value: Double?, _ place: String) throws(FaultPlanError) {
            guard let value, !(0...1).contains(value) else { return }
            throw .unreadable("\(place): \(value) is not a probability between 0 and 1")
        }
        func seconds(_ value: Double?, _ place: String) throws(FaultPlanError) {
            // A year; longer times are mistakes.
            guard let value, !(0...31_536_000).contains(value) else { return }
            throw .unreadable("\(place): \(value) is no time from 0 to 31536000 seconds")
        }
        try probability(nameFailure, "nameFailure")
        for (number, link) in links.enumerated() {
            let place = "links \(number + 1)."
            for value in [
                link.loss, link.duplication, link.reordering, link.linkStalls, link.resets, link.stalls,
            ] {
                try probability(value, place)
            }
            try seconds(link.latency?.min, place)
            try seconds(link.latency?.max, place)
            if let latency = link.latency, latency.min > latency.max {
                throw .unreadable("\(place) latency: min is more than max")
            }
            guard link.bandwidth ?? 1 > 0, link.queueBytes ?? 0 >= 0 else {
                throw .unreadable("\(place): bandwidth must be more than 0, and queueBytes not less")
            }
        }
        for (number, disk) in disks.enumerated() {
            let place = "disks \(number + 1)."
            try seconds(disk.slowSyncTime, place)
            for (name, value) in disk.faults.sorted(by: { $0.key < $1.key }) {
                guard Self.diskFaults.contains(name) else {
                    throw .unreadable(
                        "\(place): no disk has a “\(name)”; they have \(Self.diskFaults.joined(separator: ", "))"
                    )
                }
                try probability(value, place)
            }
        }
        for peer in peers {
            try probability(peer.probability, "peers \(peer.point)")
            guard peer.skip ?? 0 >= 0, peer.atMost ?? 1 > 0 else {
                throw .unreadable(
                    "peers \(peer.point): skip must not be less than 0, and atMost must be more"
                )
            }
        }
        for point in points { try probability(point.probability, "points \(point.name)") }
        for (number, event) in events.enumerated() {
            let place = "events \(number + 1)."
            try seconds(event.at, place)
            try seconds(event.duration, place)
            try probability(event.probability, place)
            try event.check(place)
        }
    }
}

extension FaultPlan.Event {
    fileprivate func check(_ place: String) throws(FaultPlanError) {
        let least =
            switch action {
            case .heal, .halves: 0
            case .crash, .powerOff, .pause, .clockStep, .clockDrift, .isolate: 1
            case .partition, .oneWay, .reset, .forget, .stall: 2
            }
        guard (on.contains("*") ? on.count : Set(on).count) >= least else {
            throw .unreadable(
                "\(place): “\(action.rawValue)” needs at least \(least) different names in “on”"
            )
        }
        if action == .clockStep || action == .clockDrift, amount == nil {
            throw .unreadable("\(place): “\(action.rawValue)” needs “by”")
        }
        if let amount, !amount.isFinite || abs(amount) > (action == .clockDrift ? 0.5 : 31_536_000) {
            throw .unreadable("\(place): \(amount) is too much for “\(action.rawValue)”")
        }
        if action == .stall, duration == nil { throw .unreadable("\(place): “stall” needs “for”") }
    }
}

/// Why a plan cannot be used.
public enum FaultPlanError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It is of another version, or says none.
    case version(Int?)
    /// It is no plan; the text says what is wrong and where.
    case unreadable(String)
    /// It names somebody whom the world does not have.
    case unknownName(String, kind: String, known: [String])
    /// Something in it can do nothing in the world; the text says what and where.
    case impossible(String)

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .version(nil):
            "this is no plan of faults, or it lacks its first line, version: \(FaultPlan.currentVersion)"
        case .version(let version?):
            "the plan is of form \(version), and only form \(FaultPlan.currentVersion) is known"
        case .unreadable(let what): "the plan of faults cannot be used: \(what)"
        case .unknownName(let name, let kind, let known):
            "the plan names the \(kind) “\(name)”, which does not exist; known are \(known.joined(separator: ", "))"
        case .impossible(let what): "the plan of faults cannot come true here: \(what)"
        }
    }
}

// MARK: Strict reading: a mistyped key would silently leave out a fault

private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Decoder {
    fileprivate func onlyKeys(_ known: [String]) throws {
        for key in try container(keyedBy: AnyKey.self).allKeys where !known.contains(key.stringValue) {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: codingPath,
                    debugDescription:
                        "unknown key “\(key.stringValue)”; known are \(known.joined(separator: ", "))"
                )
            )
        }
    }
}

extension FaultPlan {
    /// Reads what is there; what is left out has its default.
    public init(from decoder: any Decoder) throws {
        try decoder.onlyKeys(CodingKeys.allCases.map(\.rawValue))
        let values = try decoder.container(keyedBy: CodingKeys.self)
        version = try values.decode(Int.self, forKey: .version)
        links = try values.decodeIfPresent([Link].self, forKey: .links) ?? []
        disks = try values.decodeIfPresent([Disk].self, forKey: .disks) ?? []
        points = try values.decodeIfPresent([Point].self, forKey: .points) ?? []
        peers = try values.decodeIfPresent([Peer].self, forKey: .peers) ?? []
        nameFailure = try values.decodeIfPresent(Double.self, forKey: .nameFailure) ?? 0
        events = try values.decodeIfPresent([Event].self, forKey: .events) ?? []
    }
}

extension FaultPlan.Link {
    /// Reads what is there.
    public init(from decoder: any Decoder) throws {
        try decoder.onlyKeys(CodingKeys.allCases.map(\.rawValue))
        let values = try decoder.container(keyedBy: CodingKeys.self)
        from = try values.decode(String.self, forKey: .from)
        to = try values.decode(String.self, forKey: .to)
        latency = try values.decodeIfPresent(FaultPlan.Span.self, forKey: .latency)
        loss = try values.decodeIfPresent(Double.self, forKey: .loss)
        duplication = try values.decodeIfPresent(Double.self, forKey: .duplication)
        reordering = try values.decodeIfPresent(Double.self, forKey: .reordering)
        linkStalls = try values.decodeIfPresent(Double.self, forKey: .linkStalls)
        resets = try values.decodeIfPresent(Double.self, forKey: .resets)
        stalls = try values.decodeIfPresent(Double.self, forKey: .stalls)
        bandwidth = try values.decodeIfPresent(Int.self, forKey: .bandwidth)
        queueBytes = try values.decodeIfPresent(Int.self, forKey: .queueBytes)
    }
}

extension FaultPlan.Span {
    /// Reads both ends.
    public init(from decoder: any Decoder) throws {
        try decoder.onlyKeys(CodingKeys.allCases.map(\.rawValue))
        let values = try decoder.container(keyedBy: CodingKeys.self)
        min = try values.decode(Double.self, forKey: .min)
        max = try values.decode(Double.self, forKey: .max)
    }
}

extension FaultPlan.Disk {
    /// Reads what is there.
    public init(from decoder: any Decoder) throws {
        try decoder.onlyKeys(CodingKeys.allCases.map(\.rawValue))
        let values = try decoder.container(keyedBy: CodingKeys.self)
        node = try values.decode(String.self, forKey: .node)
        faults = try values.decode([String: Double].self, forKey: .faults)
        slowSyncTime = try values.decodeIfPresent(Double.self, forKey: .slowSyncTime)
    }
}

extension FaultPlan.Point {
    /// Reads both values.
    public init(from decoder: any Decoder) throws {
        try decoder.onlyKeys(CodingKeys.allCases.map(\.rawValue))
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decode(String.self, forKey: .name)
        probability = try values.decode(Double.self, forKey: .probability)
    }
}

extension FaultPlan.Peer {
    /// Reads what is there.
    public init(from decoder: any Decoder) throws {
        try decoder.onlyKeys(CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        point = try container.decode(String.self, forKey: .point)
        probability = try container.decodeIfPresent(Double.self, forKey: .probability)
        values = try container.decodeIfPresent([String: Double].self, forKey: .values)
        skip = try container.decodeIfPresent(Int.self, forKey: .skip)
        atMost = try container.decodeIfPresent(Int.self, forKey: .atMost)
    }
}

extension FaultPlan.Event {
    /// Reads what is there.
    public init(from decoder: any Decoder) throws {
        try decoder.onlyKeys(CodingKeys.allCases.map(\.rawValue))
        let values = try decoder.container(keyedBy: CodingKeys.self)
        at = try values.decode(Double.self, forKey: .at)
        let name = try values.decode(String.self, forKey: .action)
        guard let known = FaultPlan.Action(rawValue: name) else {
            throw DecodingError.dataCorruptedError(
                forKey: .action,
                in: values,
                debugDescription: "there is no action “\(name)”; known are "
                    + FaultPlan.Action.allCases.map(\.rawValue).joined(separator: ", ")
            )
        }
        action = known
        on = try values.decodeIfPresent([String].self, forKey: .on) ?? []
        duration = try values.decodeIfPresent(Double.self, forKey: .duration)
        amount = try values.decodeIfPresent(Double.self, forKey: .amount)
        probability = try values.decodeIfPresent(Double.self, forKey: .probability)
    }
}
