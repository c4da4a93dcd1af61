internal import Concurrency
internal import Foundation
internal import HTTPTypes
internal import PeerKit
internal import PushWire
internal import Transport

/// What devices connect to: a WebSocket each, which begins with a hello and goes on for as long as the device is there.
///
/// All of it is our own: Apple's protocol for devices is not public. `PushWire` has its messages, `Documentation/Push.md` describes it.
struct DeviceSide: Server {
    /// Why a connection ends that the service ends.
    enum Ending: Error, Sendable {
        /// The first message is no hello, does not come in time, or a later one is not understood.
        case badMessage
        /// There is no such app.
        case unknownTopic
        /// The service does not know the installation, or its secret is another one: the device has to begin as a new one.
        case unknownInstallation
        /// There are as many installations as there may be.
        case full
        /// The same installation has connected again.
        case replaced
        /// The installation has been removed.
        case removed
        /// The device does not read what is sent to it.
        case behind
        /// A fault.
        case cut

        var close: WebSocketClose {
            switch self {
            case .badMessage: WebSocketClose(code: 1008, reason: "bad message")
            case .unknownTopic: WebSocketClose(code: 4001, reason: "unknown topic")
            case .unknownInstallation: WebSocketClose(code: 4002, reason: "unknown installation")
            case .replaced: WebSocketClose(code: 4003, reason: "connected again")
            case .removed: WebSocketClose(code: 4004, reason: "unregistered")
            case .full: WebSocketClose(code: 1013, reason: "too many installations")
            case .behind: WebSocketClose(code: 1013, reason: "too far behind")
            case .cut: .abnormal
            }
        }
    }

    let service: PushServer

    var mayBlock: Bool { false }

    /// The longest wait for the hello.
    private static let patience = Duration.seconds(10)

    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        PeerAnswer.page(status: RequestTarget(request).path == PushServer.devicePath ? 426 : 404).response
    }

    func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
        guard RequestTarget(request).path == PushServer.devicePath else {
            return .refuse(HTTPResponse(status: .notFound), .empty)
        }
        if service.faults.strike(PushFaultPoints.turnedAway) != nil {
            return .refuse(HTTPResponse(status: .serviceUnavailable), .empty)
        }
        let limits = WebSocketLimits(
            messageBytes: DeviceMessage.bytesMaximum,
            bufferedMessages: 32,
            bufferedBytes: 32 * 1024,
            keepAlive: WebSocketKeepAlive(interval: .seconds(25), silence: .seconds(60))
        )
        return .accept(limits) { socket in await socket.close(await serve(socket).close) }
    }

    /// Serves a device until its connection ends.
    private func serve(_ socket: any WebSocket) async -> Ending {
        let first = await withDeadline(Self.patience) { try? await socket.receive() }
        guard case .text(let text)?? = first, case .hello(let hello) = try? DeviceMessage(text) else {
            return .badMessage
        }
        let (outgoing, feed) = AsyncStream.makeStream(
            of: PushState.Outgoing.self,
            bufferingPolicy: .bufferingOldest(2 * service.project.unacknowledgedLimit + 16)
        )
        let changesToken =
            hello.installation != nil && service.faults.strike(PushFaultPoints.tokenChanged) != nil
        let welcome: PushState.Welcome
        do throws(Ending) {
            welcome = try service.change { state throws(Ending) in
                try state.connect(hello, feed, changesToken: changesToken, now: .now)
            }
        } catch { return error }
        let ending = await withTaskGroup(of: Ending.self) { group in
            group.addTask { await write(outgoing, to: socket, welcome) }
            group.addTask { await read(socket, welcome) }
            let first = await group.next() ?? .cut
            // The reader ends with the socket, and the writer with its feed.
            feed.finish()
            group.cancelAll()
            return first
        }
        service.withState { $0.disconnect(welcome.installation, connection: welcome.connection) }
        return ending
    }

    /// Sends what there is for a device, until the connection is to end.
    private func write(
        _ outgoing: AsyncStream<PushState.Outgoing>,
        to socket: any WebSocket,
        _ welcome: PushState.Welcome
    ) async -> Ending {
        for await next in outgoing {
            switch next {
            case .end(let ending): return ending
            case .message(let message):
                if case .notification(let delivery) = message {
                    if service.faults.strike(PushFaultPoints.cut) != nil { return .cut }
                    service.withState { state in
                        guard let token = state.token(of: welcome.installation) else { return }
                        state.log.append(.sent(id: delivery.id, token: token))
                    }
                }
                guard (try? await socket.send(text: message.text)) != nil else { return .cut }
            }
        }
        return .behind
    }

    /// Reads what a device says, until it ends the connection.
    private func read(_ socket: any WebSocket, _ welcome: PushState.Welcome) async -> Ending {
        while case .text(let text)? = try? await socket.receive() {
            switch try? DeviceMessage(text) {
            case .shown(let number): service.withState { $0.shown(number, by: welcome.installation) }
            case .unregister:
                service.withState { $0.remove(welcome.installation, now: .now) }
                return .removed
            case .hello, nil: return .badMessage
            }
        }
        return .cut
    }
}
