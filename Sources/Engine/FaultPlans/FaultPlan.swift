/// What goes wrong in a run, as data: standing conditions of links, disks and fault points, and events in time.
///
/// Written by hand in YAML or JSON, or drawn for each seed by ``drawn(over:from:)``. Times are seconds of virtual time since
/// the plan was applied; probabilities are from 0 to 1. Names may be `*`, for all: of links and disks those that there are
/// when the plan is applied, not those that are made later; in events those that there are at the event's time, without the
/// test's own node. For example:
///
/// ```yaml
/// version: 1
/// links:
///   - { from: phone, to: "*", loss: 0.05, latency: { min: 0.01, max: 0.2 } }
/// disks:
///   - { node: phone, faults: { lost write: 0.4, torn write: 0.3 } }
/// peers:
///   - { point: supabase.upload.answerLost, probability: 0.2, with: { silence: 5 } }
/// events:
///   - { at: 3, do: partition, on: [phone, supabase], for: 2 }
///   - { at: 8, do: power off, on: [hub], for: 5, probability: 0.5 }
/// ```
///
/// Everything in it goes through fault sources of the simulation, so that a failing run shrinks to the few that matter.
public struct FaultPlan: Sendable, Hashable, Codable {
    /// The version of the form; readers refuse others.
    public static let currentVersion = 1

    /// See ``currentVersion``.
    public var version = FaultPlan.currentVersion
    /// What links do all the time.
    public var links: [Link] = []
    /// What disks do all the time.
    public var disks: [Disk] = []
    /// Fault points of product code that are armed.
    public var points: [Point] = []
    /// Fault points of simulated services that are armed.
    public var peers: [Peer] = []
    /// The probability that a name is not found when a connection is opened.
    public var nameFailure = 0.0
    /// What happens at some time.
    public var events: [Event] = []

    /// A plan in which nothing goes wrong.
    public init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case version, links, disks, points, peers, nameFailure, events
    }

    /// What one direction of a link does to traffic; what is left out stays as the world has it.
    public struct Link: Sendable, Hashable, Codable {
        /// Hosts that send, or `*`.
        public var from: String
        /// Hosts that receive, or `*`.
        public var to: String
        /// Seconds that each message is on its way, anything between.
        public var latency: Span?
        /// That a packet is lost.
        public var loss: Double?
        /// That a datagram arrives twice.
        public var duplication: Double?
        /// That a datagram is overtaken.
        public var reordering: Double?
        /// That the link stalls for a while; then everything arrives, in order.
        public var linkStalls: Double?
        /// That a stream breaks.
        public var resets: Double?
        /// That one stream stalls for good.
        public var stalls: Double?
        /// Bytes a second.
        public var bandwidth: Int?
        /// Bytes that wait for bandwidth at most.
        public var queueBytes: Int?

        /// Conditions that change nothing.
        public init(from: String, to: String) {
            self.from = from
            self.to = to
        }

        enum CodingKeys: String, CodingKey, CaseIterable {
            case from, to, latency, loss, duplication, reordering, linkStalls, resets, stalls, bandwidth,
                queueBytes
        }
    }

    /// From one number to another.
    public struct Span: Sendable, Hashable, Codable {
        /// The least, at least 0.
        public var min: Double
        /// The most.
        public var max: Double

        /// Makes a span.
        public init(min: Double, max: Double) {
            self.min = min
            self.max = max
        }

        enum CodingKeys: String, CodingKey, CaseIterable { case min, max }
    }

    /// What the disks of one node do.
    public struct Disk: Sendable, Hashable, Codable {
        /// The node, or `*`.
        public var node: String
        /// Probabilities, by the name of a fault, such as `lost write`.
        public var faults: [String: Double]
        /// Seconds that a slow sync takes.
        public var slowSyncTime: Double?

        /// Makes conditions.
        public init(node: String, faults: [String: Double], slowSyncTime: Double? = nil) {
            self.node = node
            self.faults = faults
            self.slowSyncTime = slowSyncTime
        }

        enum CodingKeys: String, CodingKey, CaseIterable { case node, faults, slowSyncTime }
    }

    /// An armed fault point.
    public struct Point: Sendable, Hashable, Codable {
        /// What the product code gives to `faultPoint(_:)`.
        public var name: String
        /// Of the fault each time the code passes.
        public var probability: Double

        /// Makes a point.
        public init(name: String, probability: Double) {
            self.name = name
            self.probability = probability
        }

        enum CodingKeys: String, CodingKey, CaseIterable { case name, probability }
    }

    /// An armed fault point of a simulated service.
    public struct Peer: Sendable, Hashable, Codable {
        /// The name that the service gives it, such as `http.429`.
        public var point: String
        /// Of the fault at each passing; 1 where it is left out.
        public var probability: Double?
        /// Numbers that say how; what is left out is as the service has it.
        public var values: [String: Double]?
        /// How many passings go well before.
        public var skip: Int?
        /// How often it happens at most.
        public var atMost: Int?

        /// Makes an armed point.
        public init(
            _ point: String,
            probability: Double? = nil,
            values: [String: Double]? = nil,
            skip: Int? = nil,
            atMost: Int? = nil
        ) {
            self.point = point
            self.probability = probability
            self.values = values
            self.skip = skip
            self.atMost = atMost
        }

        enum CodingKeys: String, CodingKey, CaseIterable {
            case point, probability, values = "with", skip, atMost
        }
    }

    /// What happens at some time.
    public struct Event: Sendable, Hashable, Codable {
        /// When, in seconds.
        public var at: Double
        /// What.
        public var action: Action
        /// To whom: nodes or hosts, as ``Action`` says.
        public var on: [String]
        /// How long, in seconds; `nil` forever, or until everything is healed.
        public var duration: Double?
        /// By how much, as ``Action`` says.
        public var amount: Double?
        /// That it happens at all; 1 where it is left out.
        public var probability: Double?

        /// Makes an event.
        public init(
            at: Double,
            _ action: Action,
            on: [String] = [],
            duration: Double? = nil,
            amount: Double? = nil,
            probability: Double? = nil
        ) {
            self.at = at
            self.action = action
            self.on = on
            self.duration = duration
            self.amount = amount
            self.probability = probability
        }

        enum CodingKeys: String, CodingKey, CaseIterable {
            case at, action = "do", on, duration = "for", amount = "by", probability
        }
    }

    /// What may happen at some time.
    public enum Action: String, Sendable, Hashable, Codable, CaseIterable {
        /// Nodes crash; after the duration their programs start again.
        case crash
        /// Nodes lose their power, also those that have crashed: their disks lose unsynced writes, and no connection is
        /// closed; after the duration their programs start again, on what the disk kept.
        case powerOff = "power off"
        /// Nodes stand still.
        case pause
        /// Nodes' wall clocks jump by so many seconds.
        case clockStep = "clock step"
        /// Nodes' wall clocks run faster by this share, such as 0.01, or slower; from -0.5 to 0.5.
        case clockDrift = "clock drift"
        /// All links between the hosts are cut.
        case partition
        /// Only what goes from the first host to the others is cut.
        case oneWay = "one way"
        /// Each host is cut off from all others.
        case isolate
        /// The network falls into two halves, which chance chooses.
        case halves
        /// Open connections between the first host and the others break.
        case reset
        /// The first host forgets its connections to the others.
        case forget
        /// The links from the first host to the others stall for the duration.
        case stall
        /// Everything is healed, and nothing goes wrong from then on.
        case heal
    }
}
