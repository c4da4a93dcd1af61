import Foundation
import ScreenKit
import SimulationTesting
import Testing

@Suite("Forms", .simulated(seeds: 1...5))
struct FormTests {
    private struct Odd: Error {}

    @Test func `a form submits once at a time, and only what is right`() async throws {
        try await Task { @MainActor in
            var (changes, runs) = (0, 0)
            let form = Form { changes += 1 }
            let wrong = await form.submit(validate: { [FieldError("a", "No."), FieldError("a", "Neither.")] })
            { runs += 1 }
            #expect(!wrong && runs == 0)
            #expect(form.progress.validationErrors == ["a": "No."])
            #expect(!form.progress.isLoading && !form.progress.isSubmitted)
            let first = Task {
                await form.submit(validate: { [] }) {
                    runs += 1
                    try await Task.sleep(for: .seconds(1))
                }
            }
            try await Task.sleep(for: .milliseconds(500))
            #expect(form.progress.isLoading && form.progress.validationErrors.isEmpty)
            let second = await form.submit(validate: { [] }) { runs += 1 }
            #expect(!second)
            #expect(await first.value)
            #expect(runs == 1 && !form.progress.isLoading && form.progress.isSubmitted)
            // Each change is said, and nothing else.
            let before = changes
            form.dismissAlert()
            #expect(changes == before)
        }.value
    }

    @Test func `a failure is shown until it is closed or tried again, and one that means nothing is not`()
        async throws
    {
        await Task { @MainActor in
            let form = Form {}
            await form.submit(validate: { [] }) { throw Odd() }
            #expect(form.progress.showErrorAlert && form.progress.errorMessage == Odd().localizedDescription)
            form.dismissAlert()
            #expect(!form.progress.showErrorAlert)
            await form.submit(validate: { [] }) { throw CancellationError() }
            #expect(!form.progress.showErrorAlert && !form.progress.isLoading)
            await form.submit(validate: { [] }) { throw Odd() }
            await form.submit(validate: { [] }) {}
            #expect(
                !form.progress.showErrorAlert && form.progress.errorMessage == "" && form.progress.isSubmitted
            )
        }.value
    }

    @Test func `a field that was wrong is looked at again, and no other`() async throws {
        await Task { @MainActor in
            let form = Form {}
            await form.submit(validate: { [FieldError("a", "No."), FieldError("b", "No.")] }) {}
            form.revalidate("a", among: [FieldError("a", "Still."), FieldError("c", "New.")])
            form.revalidate("c", among: [FieldError("c", "New.")])
            #expect(form.progress.validationErrors == ["a": "Still.", "b": "No."])
            form.revalidate("a", among: [])
            #expect(form.progress.validationErrors == ["b": "No."])
        }.value
    }
}
