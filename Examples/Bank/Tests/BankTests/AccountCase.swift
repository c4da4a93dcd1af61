import Bank
import SimulationTesting
import XCTest

final class AccountCase: SimulatedTestCase {
    func testAuditSeesAllTheMoney() throws {
        try simulated {
            let accounts = Accounts()
            async let move: Void = accounts.move(30)
            async let audit = accounts.total()
            let (_, total) = await (move, audit)
            XCTAssertEqual(total, 100)
        }
    }
}
