import ScreenKit
import SimulationTesting
import Testing

// The example of ScreenKit.docc, word for word.
@MainActor
final class NameForm {
    private(set) var progress = FormProgress()
    private lazy var form: Form = Form { [weak self] in
        guard let self else { return }
        progress = form.progress
    }

    func submit(_ name: String, to send: (String) async throws -> Void) async {
        await form.submit(validate: { name.isEmpty ? [FieldError("name", "Enter a name.")] : [] }) {
            try await send(name)
        }
    }
}

@Test(.simulated(seeds: 1...3))
func `a name is sent once it is there`() async throws {
    await Task { @MainActor in
        let form = NameForm()
        var sent: [String] = []
        await form.submit("") { sent.append($0) }
        #expect(form.progress.validationErrors == ["name": "Enter a name."] && sent.isEmpty)
        await form.submit("Ada") { sent.append($0) }
        #expect(form.progress.isSubmitted && sent == ["Ada"])
    }.value
}
