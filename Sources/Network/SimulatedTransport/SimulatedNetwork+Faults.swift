import Simulation
import Transport

extension SimulatedNetwork {
    /// Cuts every link between a host of one group and a host of the other, in both directions.
    ///
    /// Streams stall and go on after ``heal()``, or break after the user timeout; datagrams are lost.
    public func partition(_ one: [String], _ other: [String]) {
        for from in one {
            for to in other { self[from, to].isPartitioned = true }
        }
    }

    /// Cuts one host off from all others, in both directions.
    public func isolate(_ host: String) { partition([host], hostNames.filter { $0 != host }) }

    /// Cuts the network in two parts of equal size, give or take one host, drawn at random.
    ///
    /// One decision of the fault source `halves`.
    public func partitionHalves() {
        guard var chance = simulation.faultSource("halves").fires(probability: 1) else { return }
        let names = hostNames.shuffled(using: &chance)
        partition(Array(names.prefix(names.count / 2)), Array(names.dropFirst(names.count / 2)))
    }

    /// Cuts each direction of each link with this probability, so that some hosts hear others and are not heard.
    ///
    /// One decision for each direction, of a fault source such as `random cut phone gemini`.
    public func partitionRandomly(probability: Double) {
        for from in hostNames {
            for to in hostNames where from != to {
                let source = simulation.faultSource("random cut \(from) \(to)")
                if source.fires(probability: probability) != nil {
                    link(from: from, to: to).isPartitioned = true
                }
            }
        }
    }

    /// Stalls the link in one direction for a time: nothing arrives, and then everything does, in order.
    public func stall(from: String, to: String, for time: Duration) {
        link(from: from, to: to).stall(for: time)
    }

    /// Lets one host forget its open connections to another, as a system does that has restarted quickly.
    ///
    /// The other host learns of it when it next sends; one that only waits to receive goes on waiting.
    public func forgetConnections(of host: String, to other: String) {
        link(from: host, to: other).noteFault("forget")
        for connection in openConnections {
            for side in [Side.client, .server]
            where connection[side].host.name == host && connection[side.other].host.name == other {
                connection.end(side, .reset, "the system has forgotten the connection")
            }
        }
    }

    /// Breaks all open connections between two hosts at once; what is on its way is lost.
    public func reset(_ one: String, _ other: String) {
        let pair = [existing(one).index, existing(other).index].sorted()
        link(from: one, to: other).noteFault("reset")
        for connection in openConnections
        where [connection[.client].host.index, connection[.server].host.index].sorted() == pair {
            connection.breakNow()
        }
    }

    /// Ends all partitions and stalls of links.
    public func heal() {
        for link in allLinks {
            link.isPartitioned = false
            link.endStall()
        }
    }
}

extension SimulatedNetwork {
    /// Messages that have arrived on open connections, and that nobody has read.
    public struct UnreadStream: Sendable, Hashable, CustomStringConvertible {
        /// The host that should have read them.
        public var host: String
        /// The host that sent them.
        public var sender: String
        /// How many there are.
        public var messages: Int

        /// One line for people.
        public var description: String { "\(messages) messages from \(sender) wait unread at \(host)" }
    }

    /// Streams that somebody has left unread, oldest connection first.
    ///
    /// Worth checking at the end of a scenario: a client that does not read a body to its end keeps its connection.
    public var unreadStreams: [UnreadStream] {
        openConnections.flatMap { connection in
            [Side.client, .server].compactMap { side in
                let count = connection[side].inbox.count
                guard count > 0, !connection[side].isGone else { return nil }
                return UnreadStream(
                    host: connection[side].host.name,
                    sender: connection[side.other].host.name,
                    messages: count
                )
            }
        }
    }
}
