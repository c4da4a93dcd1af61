import Foundation
import Till
import XCTest

final class TillCase: XCTestCase {
    private var till: Till!

    override func setUp() async throws {
        till = Till()
        try await Task.sleep(for: .milliseconds(1))
    }

    override func tearDown() async throws {
        let cents = await till.cents
        XCTAssertGreaterThan(cents, 0, "nothing was booked")
        till = nil
    }

    func testOnePaymentIsBooked() async {
        await till.pay(1)
        let cents = await till.cents
        XCTAssertEqual(cents, 1)
    }

    func testTwoPaymentsAreBooked() async throws {
        let till = try XCTUnwrap(till)
        async let first: Void = till.pay(1)
        async let second: Void = {
            try? await Task.sleep(for: .milliseconds(20))
            await till.pay(1)
        }()
        _ = await (first, second)
        let cents = await till.cents
        XCTAssertEqual(cents, 2)
    }

    func testAThreadBooksAPayment() async {
        let till = till!
        Thread.detachNewThread { Task { await till.pay(1) } }
        await till.pay(1)
    }

    func testACardIsRead() async throws {
        await till.pay(1)
        throw XCTSkip("there is no reader")
    }
}

final class ReceiptCase: XCTestCase {
    func testADrawerIsStuck() throws {
        try XCTSkipIf(ProcessInfo.processInfo.environment["TILL_BREAKS"] == nil)
        exit(0)
    }

    func testAReceiptHasALine() { XCTAssertEqual("paid\n".split(separator: "\n").count, 1) }
}
