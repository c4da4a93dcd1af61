import ArgumentParser
package import Services

/// A picture size as one types it: `640x360`.
package struct SizeArgument: ExpressibleByArgument {
    /// The size that was typed.
    package let size: PixelSize

    /// That size, as a default.
    package init(_ size: PixelSize) { self.size = size }

    package init?(argument: String) {
        guard let size = PixelSize(text: argument) else { return nil }
        self.size = size
    }

    package var defaultValueDescription: String { size.text }
}
