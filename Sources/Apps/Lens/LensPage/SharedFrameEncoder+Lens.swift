public import Lens
public import PageKit

extension SharedFrameEncoder: FrameEncoder {
    /// Shares the files of an encoder.
    public init(_ base: any FrameEncoder) { self.init { try await base.encode($0) } }
}
