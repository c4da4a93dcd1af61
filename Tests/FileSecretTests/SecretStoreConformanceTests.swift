import Conformance
import SecretStoreConformance
import Testing

@Suite("Secret store conformance")
struct SecretStoreConformanceTests {
    @Test(
        "encrypted files satisfy every requirement, with either kind of key",
        arguments: SecretStoreConformance.cases,
        FileSecretHarness.Lock.allCases
    )
    func files(_ test: SecretStoreConformance.Case, _ lock: FileSecretHarness.Lock) async throws {
        let outcome = try await test.run(with: FileSecretHarness(lock: lock))
        #expect((outcome == .passed) == (test.id != "trouble.readOnly"), "\(outcome)")
    }

    @Test(
        "a store in memory that can do everything satisfies every requirement",
        arguments: SecretStoreConformance.cases
    )
    func complete(_ test: SecretStoreConformance.Case) async throws {
        let outcome = try await test.run(with: WrongSecretHarness(flaw: nil))
        #expect((outcome == .passed) == (test.id != "trouble.readOnly"), "\(outcome)")
    }

    @Test("a store in memory satisfies what it is capable of", arguments: SecretStoreConformance.cases)
    func memory(_ test: SecretStoreConformance.Case) async throws {
        try await test.run(with: MemorySecretHarness())
    }

    @Test("the environment satisfies what can be read", arguments: SecretStoreConformance.cases)
    func environment(_ test: SecretStoreConformance.Case) async throws {
        try await test.run(with: EnvironmentSecretHarness())
    }

    @Test("stores that cannot do everything still have most requirements to satisfy")
    func applicability() async throws {
        var passed = (memory: 0, environment: 0)
        for test in SecretStoreConformance.cases {
            if try await test.run(with: MemorySecretHarness()) == .passed { passed.memory += 1 }
            if try await test.run(with: EnvironmentSecretHarness()) == .passed { passed.environment += 1 }
        }
        #expect(passed.memory == SecretStoreConformance.cases.count - 3)
        #expect(passed.environment == 7)
    }

    @Test(
        "a wrong store of secrets fails the cases about its flaw, for that reason, and no other",
        arguments: WrongSecretStore.Flaw.allCases
    )
    func wrong(_ flaw: WrongSecretStore.Flaw) async throws {
        let report = await SecretStoreConformance.suite.report(on: WrongSecretHarness(flaw: flaw))
        #expect(report.differences(from: flaw.findings) == [])
    }

    @Test("case names are distinct, and so are their identifiers")
    func names() {
        #expect(Set(SecretStoreConformance.cases.map(\.id)).count == SecretStoreConformance.cases.count)
        #expect(Set(SecretStoreConformance.cases.map(\.name)).count == SecretStoreConformance.cases.count)
    }
}
