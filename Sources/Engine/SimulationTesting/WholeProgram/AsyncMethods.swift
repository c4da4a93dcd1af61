import Synchronization
public import XCTest

/// The asynchronous methods of the program's test classes, which XCTest itself knows only as functions that block.
enum AsyncMethods {
    typealias Body = @concurrent () async throws -> Void
    /// Binds a method to an instance; `nil` where the method is not asynchronous.
    typealias Binding = @Sendable (XCTestCase) -> Body?

    private static let all = Mutex<[ObjectIdentifier: [String: Binding]]>([:])

    fileprivate static func add<Case: XCTestCase>(_ tests: [(String, (Case) -> () throws -> Void)]) {
        for (name, method) in tests {
            let method = Unchecked(value: method)
            let binding: Binding = { instance in
                guard let instance = instance as? Case else { return nil }
                let request = AsyncRequest()
                // A method that is not asynchronous is bound here as well, and not called.
                AsyncRequest.$current.withValue(request) { _ = method.value(instance) }
                return request.body
            }
            all.withLock { $0[ObjectIdentifier(Case.self), default: [:]][name] = binding }
        }
    }

    /// The method, without the class that XCTest puts before it.
    static func name(of testCase: XCTestCase) -> String {
        testCase.name.split(separator: ".").last.map(String.init) ?? ""
    }

    /// Binds the test's method; `nil` where it is not asynchronous.
    static func binding(of testCase: XCTestCase) -> Binding? {
        let type = ObjectIdentifier(type(of: testCase))
        guard let binding = all.withLock({ $0[type]?[name(of: testCase)] }), binding(testCase) != nil else {
            return nil
        }
        return binding
    }
}

/// Something that only one thread uses at a time, though the compiler does not know.
///
/// Invariant that makes it Sendable: XCTest runs one test at a time, and a worker one run.
struct Unchecked<Value>: @unchecked Sendable {
    var value: Value
}

/// Asks a method that is bound to an instance for its asynchronous body.
private final class AsyncRequest: Sendable {
    @TaskLocal static var current: AsyncRequest?

    private let answer = Mutex<Unchecked<AsyncMethods.Body>?>(nil)

    var body: AsyncMethods.Body? { answer.withLock { $0 }?.value }

    func set(_ body: @escaping AsyncMethods.Body) {
        let body = Unchecked(value: body)
        answer.withLock { $0 = body }
    }
}

// MARK: What whole_program.c calls

/// `asyncTest(_:)` of libXCTest.
@_silgen_name("csim_bind_plain_method")
private func asyncTest<Case: XCTestCase>(
    _ method: @escaping (Case) -> @concurrent () async throws -> Void
) -> (Case) -> () throws -> Void

/// What the generated list of tests calls for each asynchronous method.
@usableFromInline
@_silgen_name("csim_bind_method")
func bindMethod<Case: XCTestCase>(
    _ method: @escaping (Case) -> @concurrent () async throws -> Void
) -> (Case) -> () throws -> Void {
    let plain = asyncTest(method)
    return { instance in
        guard let request = AsyncRequest.current else { return plain(instance) }
        request.set(method(instance))
        return {}
    }
}

/// What the generated list of tests calls for each class.
@usableFromInline
@_silgen_name("csim_note_methods")
func noteMethods<Case: XCTestCase>(_ tests: [(String, (Case) -> () throws -> Void)]) {
    AsyncMethods.add(tests)
}
