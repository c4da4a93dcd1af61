import CNetlink
import Glibc

/// The links that carry traffic and the default routes, of the kernel's answers.
///
/// Layouts and constants: rtnetlink(7) and `linux/rtnetlink.h`. All integers are in the machine's byte order.
struct LinkTable: Sendable, Hashable {
    /// Links that are up, carry traffic, and are not the loopback.
    private var running: Set<Int32> = []
    /// The links of default routes.
    private var defaults: Set<Int32> = []

    /// Whether the tables changed while the kernel wrote them: what was read belongs to no one moment.
    private(set) var isTorn = false

    /// Whether a default route leads through a link that carries traffic.
    var isConnected: Bool { !running.isDisjoint(with: defaults) }

    /// How far an answer has come.
    enum Reading: Sendable, Hashable {
        /// There is more to come.
        case more
        /// The answer is whole.
        case done
        /// The kernel refused, with this error number.
        case refused(Int32)
    }

    /// Takes in the messages of one datagram.
    ///
    /// What is cut short, answers another question than this one, or is of a kind that is not known is left out.
    mutating func read(_ datagram: RawSpan, answering question: UInt32) -> Reading {
        var rest = datagram
        while let header = Self.value(nlmsghdr.self, rest),
            header.nlmsg_len >= MemoryLayout<nlmsghdr>.size, Int(header.nlmsg_len) <= rest.byteCount
        {
            let body = rest.extracting(MemoryLayout<nlmsghdr>.size..<Int(header.nlmsg_len))
            rest = rest.extracting(droppingFirst: Self.aligned(Int(header.nlmsg_len)))
            guard header.nlmsg_seq == question else { continue }
            if header.nlmsg_flags & UInt16(NLM_F_DUMP_INTR) != 0 { isTorn = true }
            switch Int32(header.nlmsg_type) {
            case NLMSG_DONE: return .done
            case NLMSG_ERROR: return .refused(-(Self.value(Int32.self, body) ?? -EPROTO))
            case Int32(RTM_NEWLINK): readLink(body)
            case Int32(RTM_NEWROUTE): readRoute(body)
            default: break
            }
        }
        return .more
    }

    private mutating func readLink(_ body: RawSpan) {
        guard let link = Self.value(ifinfomsg.self, body) else { return }
        let needed = UInt32(IFF_UP.rawValue | IFF_RUNNING.rawValue)
        guard link.ifi_flags & needed == needed, link.ifi_flags & UInt32(IFF_LOOPBACK.rawValue) == 0
        else { return }
        running.insert(link.ifi_index)
    }

    private mutating func readRoute(_ body: RawSpan) {
        // A default route that throws traffic away names no link, or the loopback.
        guard let route = Self.value(rtmsg.self, body), route.rtm_dst_len == 0 else { return }
        var rest = body.extracting(droppingFirst: Self.aligned(MemoryLayout<rtmsg>.size))
        while let attribute = Self.value(rtattr.self, rest),
            attribute.rta_len >= MemoryLayout<rtattr>.size, Int(attribute.rta_len) <= rest.byteCount
        {
            let value = rest.extracting(MemoryLayout<rtattr>.size..<Int(attribute.rta_len))
            switch Int(attribute.rta_type) {
            case Int(RTA_OIF.rawValue): if let link = Self.value(Int32.self, value) { defaults.insert(link) }
            case Int(RTA_MULTIPATH.rawValue): readHops(value)
            default: break
            }
            rest = rest.extracting(droppingFirst: Self.aligned(Int(attribute.rta_len)))
        }
    }

    /// A route over several links names them in an attribute of its own.
    private mutating func readHops(_ hops: RawSpan) {
        var rest = hops
        while let hop = Self.value(rtnexthop.self, rest), hop.rtnh_len >= MemoryLayout<rtnexthop>.size {
            defaults.insert(hop.rtnh_ifindex)
            rest = rest.extracting(droppingFirst: Self.aligned(Int(hop.rtnh_len)))
        }
    }

    private static func value<Value: BitwiseCopyable>(_ type: Value.Type, _ bytes: RawSpan) -> Value? {
        guard bytes.byteCount >= MemoryLayout<Value>.size else { return nil }
        // All bytes are a value of these structures of integers.
        return unsafe bytes.unsafeLoadUnaligned(as: type)
    }

    /// `NLMSG_ALIGN` and `RTA_ALIGN`: four bytes.
    private static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}
