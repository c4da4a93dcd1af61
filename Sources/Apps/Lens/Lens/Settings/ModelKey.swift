public import Concurrency
internal import Foundation
public import Services

/// The key of the model's service, in the secret store.
///
/// A store may wait for a file, for another process and for the work of a passphrase: that is done on this actor, never
/// on the caller's.
public actor ModelKey {
    /// The name under which the key is kept.
    public static let name: String = "gemini_api_key"

    /// Whether a key is kept, as far as it was read or written last; false when it cannot be read.
    public nonisolated var isKept: Published<Bool> { lastKept.published }

    /// How far the test of the kept key is.
    public enum Test: String, Codable, Hashable, Sendable {
        case running
        /// The service takes the key.
        case passed
    }

    /// What came of the kept key's test; `nil` where it was not tested, or its test failed.
    public nonisolated var lastTest: Published<Test?> { testing.published }

    private let lastKept = CurrentValue(false)
    private let testing = CurrentValue<Test?>(nil)
    /// Counts keys that were written and tests: a test says nothing about a later key, and the latest counts.
    private var tests = 0
    private let secrets: any SecretStore

    /// Reads and writes the key in `secrets`.
    public init(_ secrets: any SecretStore) {
        self.secrets = secrets
    }

    /// The key, or `nil` when none is kept.
    @discardableResult
    public func read() throws(SecretStoreError) -> Secret? {
        do throws(SecretStoreError) {
            let key = try secrets.secret(named: Self.name)
            note(isKept: key != nil)
            return key
        } catch {
            note(isKept: false)
            throw error
        }
    }

    /// Keeps a key; `nil` or nothing but white space deletes it.
    public func write(_ key: String?) throws(SecretStoreError) {
        let key = key?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        tests += 1
        setTest(nil)
        try secrets.set(key.isEmpty ? nil : Secret(key), named: Self.name)
        note(isKept: !key.isEmpty)
    }

    /// Tests the kept key.
    ///
    /// - Parameter chat: Asks the service for something, with the key.
    /// - Throws: What the service says, unless another key was written or another test begun meanwhile.
    public func test(by chat: Chat) async throws(ChatModelError) {
        tests += 1
        let test = tests
        setTest(.running)
        do throws(ChatModelError) {
            try await chat.testKey()
            if test == tests { setTest(.passed) }
        } catch {
            guard test == tests else { return }
            setTest(nil)
            throw error
        }
    }

    private func setTest(_ test: Test?) {
        if test != testing.value { testing.set(test) }
    }

    private func note(isKept: Bool) {
        if isKept != lastKept.value { lastKept.set(isKept) }
    }
}
