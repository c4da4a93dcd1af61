import ArgumentParser
import LensScenarios
import Services

/// A picture size as one types it: `640x360`.
struct SizeArgument: ExpressibleByArgument {
    let size: PixelSize

    init(_ size: PixelSize) { self.size = size }

    init?(argument: String) {
        guard let size = PixelSize(text: argument) else { return nil }
        self.size = size
    }

    var defaultValueDescription: String { size.text }
}
