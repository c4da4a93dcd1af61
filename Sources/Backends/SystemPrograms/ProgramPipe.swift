import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Two ends of a pipe that no other process inherits.
struct ProgramPipe {
    var readEnd: CInt
    var writeEnd: CInt

    init() throws {
        var ends: [CInt] = [0, 0]
        guard unsafe pipe(&ends) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE)
        }
        // Foundation's processes inherit nothing but what they are given; others must not keep an input open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    func close() {
        Glibc.close(readEnd)
        Glibc.close(writeEnd)
    }
}

/// Our end of a pipe, on an event loop, which closes its descriptor.
///
/// Not `DispatchIO`: where many of its channels close at once, Dispatch on Linux reads what it has freed, and the process crashes
/// (https://github.com/swiftlang/swift-corelibs-libdispatch/issues/949).
struct PipeEnd: Sendable {
    private let channel: EventLoopFuture<any Channel>

    /// An end to write to.
    init(writing descriptor: CInt) {
        channel = Self.open(descriptor) {
            $0.takingOwnershipOfDescriptor(output: descriptor)
        } setUp: { _ in
        }
    }

    /// An end to read from.
    ///
    /// - Parameters:
    ///   - onBytes: Takes what comes, in order, one call at a time, on an event loop: it must not block.
    ///   - onEnd: Called once, when nothing more comes.
    init(
        reading descriptor: CInt,
        onBytes: @escaping @Sendable ([UInt8]) -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) {
        channel = Self.open(descriptor) {
            $0.takingOwnershipOfDescriptor(input: descriptor)
        } setUp: { channel in
            try channel.pipeline.syncOperations.addHandler(PipeReader(onBytes: onBytes))
        }
        channel.flatMap { $0.closeFuture }.whenComplete { _ in onEnd() }
    }

    /// Hands a descriptor to NIO, and closes it where NIO has not taken it.
    ///
    /// Which is before the channel is set up; from then on NIO closes it itself, also where registering it fails.
    private static func open(
        _ descriptor: CInt,
        _ take: (NIOPipeBootstrap) -> EventLoopFuture<any Channel>,
        setUp: @escaping @Sendable (any Channel) throws -> Void
    ) -> EventLoopFuture<any Channel> {
        let isTaken = Flag()
        let bootstrap = NIOPipeBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                isTaken.raise()
                return channel.eventLoop.makeCompletedFuture { try setUp(channel) }
            }
        let channel = take(bootstrap)
        channel.whenFailure { _ in
            if !isTaken.isRaised { Glibc.close(descriptor) }
        }
        return channel
    }

    /// Writes, and returns when the pipe has taken it all; whether it has.
    func write(_ bytes: [UInt8]) async -> Bool {
        (try? await channel.flatMap { $0.writeAndFlush(ByteBuffer(bytes: bytes)) }.get()) != nil
    }

    /// Closes it when the pipe has taken what was written.
    func closeAfterWriting() {
        channel.whenSuccess { channel in
            // Writes end in their order; a close overtakes them.
            channel.writeAndFlush(ByteBuffer()).whenComplete { _ in channel.close(promise: nil) }
        }
    }

    /// Closes it at once; what was not taken is lost, and writes that wait fail.
    func close() { channel.whenSuccess { $0.close(promise: nil) } }
}

private final class PipeReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let onBytes: @Sendable ([UInt8]) -> Void

    init(onBytes: @escaping @Sendable ([UInt8]) -> Void) { self.onBytes = onBytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        onBytes(Array(unwrapInboundIn(data).readableBytesView))
    }
}

/// Something that happens at most once.
private final class Flag: Sendable {
    private let state = Atomic(false)

    var isRaised: Bool { state.load(ordering: .acquiring) }
    func raise() { state.store(true, ordering: .releasing) }
}
