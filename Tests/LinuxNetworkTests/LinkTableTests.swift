import TestSupport
import Testing

@testable import LinuxNetwork

@Suite("Messages of links and routes")
struct LinkTableTests {
    /// A message with its header; `length` as it claims.
    private func message(
        _ kind: UInt16,
        flags: UInt16 = 0,
        to question: UInt32 = 1,
        _ body: [UInt8],
        length: Int? = nil
    ) -> [UInt8] {
        func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
            unsafe withUnsafeBytes(of: value) { unsafe Array($0) }
        }
        return bytes(UInt32(length ?? 16 + body.count)) + bytes(kind) + bytes(flags) + bytes(question)
            + bytes(UInt32(0)) + body
    }

    /// `struct ifinfomsg`: link 2, up and running.
    private let link: [UInt8] = [0, 0, 1, 0, 2, 0, 0, 0, 0x41, 0, 0, 0, 0, 0, 0, 0]
    /// `struct rtmsg` of a default route, with `RTA_OIF` 2.
    private let route: [UInt8] = [2, 0, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0] + [8, 0, 4, 0, 2, 0, 0, 0]

    private func read(_ datagram: [UInt8], into table: inout LinkTable) -> LinkTable.Reading {
        unsafe datagram.withUnsafeBytes { unsafe table.read($0.bytes, answering: 1) }
    }

    @Test
    func `a default route through a running link is a network; answers to other questions do not count`() {
        for question in [1, 2] as [UInt32] {
            var table = LinkTable()
            let datagram =
                message(16, to: question, link) + message(24, to: question, route) + message(3, [0, 0, 0, 0])
            #expect(read(datagram, into: &table) == .done)
            #expect(table.isConnected == (question == 1))
            #expect(!table.isTorn)
        }
    }

    @Test func `what was written while the tables changed is marked, and a refusal has its number`() {
        var table = LinkTable()
        #expect(read(message(16, flags: 0x10, link), into: &table) == .more)
        #expect(table.isTorn)
        // `struct nlmsgerr` begins with the negative error number: here EPERM.
        #expect(read(message(2, [0xFF, 0xFF, 0xFF, 0xFF]), into: &table) == .refused(1))
    }

    @Test func `bytes of any kind are read within their bounds`() {
        var generator = SeededGenerator(seed: 1)
        let whole = message(16, link) + message(24, route)
        for _ in 0..<20_000 {
            var datagram = whole
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                datagram[Int.random(in: 0..<datagram.count, using: &generator)] = .random(
                    in: 0...255,
                    using: &generator
                )
            }
            datagram.removeLast(Int.random(in: 0...datagram.count, using: &generator))
            var table = LinkTable()
            _ = read(datagram, into: &table)
        }
        for length in [0, 15, 17, 1 << 30] {
            var table = LinkTable()
            #expect(read(message(16, link, length: length) + message(24, route), into: &table) == .more)
            #expect(!table.isConnected)
        }
    }
}
