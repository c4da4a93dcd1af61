import Foundation
import PPPP
import PeerKit
import PhotoEditing
import QRCode
import QuickTime
import Services
import Transport

@testable import GeminiLive
@testable import GeminiREST
@testable import GeminiServer
@testable import ServiceClient

/// Parsers of bytes that a peer sends: each takes any, and neither traps nor takes more than its bounds.
enum Parser: String, CaseIterable {
    /// What the Live service sends to a client.
    case geminiClient = "gemini-client"
    /// What a Live client sends to the service.
    case geminiServer = "gemini-server"
    /// The events of a streamed answer over REST; the first byte says how they are cut.
    case geminiEvents = "gemini-events"
    /// A request for words over REST.
    case geminiGenerate = "gemini-generate"
    /// A movie that a camera or another program has written.
    case quickTime = "quicktime"
    /// A datagram of a camera or its client, clear or obfuscated.
    case ppppPackets = "pppp-packets"
    /// The stream of commands; the first byte says how it is cut, and which dialect it is in.
    case ppppCommands = "pppp-commands"
    /// What a camera answers to a request of CGI, and such a request.
    case ppppCGI = "pppp-cgi"
    /// The stream of frames; the first byte says how it is cut.
    case ppppMedia = "pppp-media"
    /// Packets for a session, each behind a byte with its length.
    case ppppSession = "pppp-session"
    /// What a code says: that of a label, or of a Wi-Fi network.
    case ppppCodes = "pppp-codes"
    /// A message of multicast DNS.
    case mdnsMessages = "mdns-messages"
    /// Messages for a browser and a responder, each behind two bytes with its length.
    case mdnsAgents = "mdns-agents"
    /// A picture without colours that may have QR codes; the first two bytes are its width.
    case qrPictures = "qr-pictures"
    /// A picture that a camera calls JPEG.
    case jpeg
    /// A movie of pictures in a file; the first byte says of which kind.
    case movieFiles = "movie-files"
    /// The Exif data of a photo.
    case photoExif = "photo-exif"

    func parse(_ bytes: [UInt8]) {
        switch self {
        case .geminiClient:
            let reading = MessageReading(.binary(bytes), key: Secret("the-key"))
            precondition(!reading.events.isEmpty, "a message has at least one event")
        case .geminiServer:
            guard let json = try? JSONValue(json: bytes),
                let message = try? LiveShapes.clientMessage.read(json)
            else { return }
            if let setup = message["setup"] { _ = try? LiveSetup(setup, models: [], version: "v1beta") }
            _ = try? LiveInput(message)
        case .geminiEvents: parseEvents(bytes)
        case .quickTime:
            var limits = MovieReader.Limits()
            limits.frameCount = 10_000
            guard let movie = try? MovieReader(bytes, limits: limits) else { return }
            precondition(movie.frames.count <= limits.frameCount, "more frames than are taken")
            precondition(
                movie.frames.allSatisfy { $0.offset >= 0 && $0.byteCount <= bytes.count - $0.offset },
                "a frame beyond the file"
            )
            let number = movie.frameNumber(at: movie.duration)
            precondition((number == nil) == movie.frames.isEmpty, "a time without a frame")
            if let number { _ = try? movie.jpeg(ofFrame: number) }
        case .geminiGenerate:
            guard let json = try? JSONValue(json: bytes),
                let fields = try? GenerateRequest.shape.read(json)
            else { return }
            let reader = ContentReader(
                inspectFrame: { _ in FrameInspection(width: 1, height: 1) },
                file: { (_: String) throws(GeminiFailure) in throw .invalid("There are no files.") }
            )
            _ = try? GenerateRequest(fields, reader)
        case .ppppPackets: parsePacket(bytes)
        case .ppppCommands: parseCommands(bytes)
        case .ppppCGI:
            let reply = CGIReply(bytes)
            precondition(reply.values.count <= 1024 && reply.arrays.count <= 256, "an answer is bounded")
            if let request = CGIRequest(bytes) {
                precondition(CGIRequest(request.bytes) != nil, "a request is read as it was written")
            }
        case .ppppMedia: parseMedia(bytes)
        case .ppppSession: parseSession(bytes)
        case .ppppCodes: parseCodes(bytes)
        case .mdnsMessages: parseMessage(bytes)
        case .mdnsAgents: parseMessages(bytes)
        case .qrPictures: parsePicture(bytes)
        case .jpeg: parseJPEG(bytes)
        case .movieFiles: parseMovieFile(bytes)
        case .photoExif: _ = PhotoOrientation(exif: bytes[...])
        }
    }
}

/// A packet is read as it was written, in both forms.
private func parsePacket(_ bytes: [UInt8]) {
    var seal = PacketSeal(PacketCipher.known)
    guard let packet = seal.open(bytes) else { return }
    let again = seal.close(packet)
    precondition(seal.open(again) == packet, "a packet is read as it was written")
}

/// Gives the same messages however the bytes are cut, as long as they make sense.
private func parseCommands(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let framing = CommandFraming.allCases[Int(first) % 3]
    let rest = Array(bytes.dropFirst())
    let size = max(1, Int(first / 3))
    var (whole, cut) = (CommandAssembler(framing), CommandAssembler(framing))
    let expected = whole.append(rest[...])
    let messages = stride(from: 0, to: rest.count, by: size).flatMap {
        cut.append(rest[$0..<min($0 + size, rest.count)])
    }
    precondition(whole.malformed > 0 || messages == expected, "bytes cut otherwise are other messages")
}

private func parseMedia(_ bytes: [UInt8]) {
    let limit = 2_000
    var assembler = MediaAssembler(mostBytes: limit)
    let rest = Array(bytes.dropFirst())
    let size = max(1, Int(bytes.first ?? 1))
    for start in stride(from: 0, to: rest.count, by: size) {
        for unit in assembler.append(rest[start..<min(start + size, rest.count)]) {
            precondition(unit.bytes.count <= limit, "a frame is bounded")
        }
    }
}

private func parseSession(_ bytes: [UInt8]) {
    let start = ContinuousClock.now
    var session = Session(SessionLimits(), at: start)
    _ = session.write(Array(repeating: 7, count: 5_000), to: 1, at: start)
    var rest = bytes[...]
    var step = 0
    while let count = rest.popFirst() {
        step += 1
        let piece = Array(rest.prefix(Int(count)))
        rest = rest.dropFirst(Int(count))
        guard let packet = Packet(datagram: piece) else { continue }
        session.receive(packet, at: start + .milliseconds(step * 20))
        session.tick(at: start + .milliseconds(step * 20))
        precondition(session.takePackets().count < 1_000, "what is sent is bounded")
        _ = session.takeArrivals()
    }
}

/// A code is read as it was written, and its parts have what it has.
private func parseCodes(_ bytes: [UInt8]) {
    if let label = try? LabelCode(bytes) {
        precondition((try? LabelCode(Array(label.text.utf8))) == label, "a label is read as it was written")
    }
    guard let code = try? WiFiCode(bytes) else { return }
    let again = try? WiFiCode(Array(code.text.utf8))
    precondition(again == code, "a code is read as it was written")
    guard code.isComplete else { return }
    var merged = WiFiCode()
    for part in code.parts { merged.add(part) }
    precondition(merged.name == code.name && merged.password == code.password, "the parts are the code")
}

private func parsePicture(_ bytes: [UInt8]) {
    guard bytes.count > 2 else { return }
    let width = max(1, Int(bytes[0]) | Int(bytes[1]) << 8)
    let height = (bytes.count - 2) / width
    guard height > 0 else { return }
    let picture = GrayPicture(
        size: PixelSize(width: width, height: height),
        pixels: Array(bytes[2..<2 + width * height])
    )
    guard let codes = try? QRCodeReader().read(picture) else { return }
    precondition(codes.count <= QRCodeReader.mostCodes, "more codes than are read")
    precondition(codes.allSatisfy { $0.bytes.count <= QRCodeReader.mostBytes }, "a code without bound")
}

/// The events of a stream in pieces, and whether none was too large.
private func events(of pieces: [[UInt8]]) -> ([ServerSentEvent], Bool) {
    var (parser, events) = (ServerSentEvents(limit: 4_096), [ServerSentEvent]())
    do {
        for piece in pieces { try parser.append(piece, to: &events) }
        if let last = try parser.finish() { events.append(last) }
        return (events, true)
    } catch { return (events, false) }
}

/// Gives the same events however the bytes are cut.
private func parseEvents(_ bytes: [UInt8]) {
    let rest = Array(bytes.dropFirst())
    let size = max(1, Int(bytes.first ?? 1))
    let (expected, isSmall) = events(of: [rest])
    let pieces = stride(from: 0, to: rest.count, by: size).map {
        Array(rest[$0..<min($0 + size, rest.count)])
    }
    let (found, fits) = events(of: pieces)
    precondition(found == expected && fits == isSmall, "bytes cut otherwise are other events")
    for event in found { _ = try? JSONDocument.read(event.data, as: AnswerDocument.self) }
}

let parser: Parser = {
    let name = ProcessInfo.processInfo.environment["LENSSIM_PARSER"] ?? ""
    guard let parser = Parser(rawValue: name) else {
        let names = Parser.allCases.map(\.rawValue).joined(separator: ", ")
        FileHandle.standardError.write(Data("LENSSIM_PARSER names one of \(names), not “\(name)”\n".utf8))
        exit(64)
    }
    return parser
}()

#if FUZZING
/// Called by libFuzzer, which brings `main` and a corpus along.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe parser.parse([UInt8](UnsafeBufferPointer(start: start, count: count)))
    return 0
}
#else
/// Reads the files that are named, as a fuzzer would: what was found once stays found.
@main
enum Fuzz {
    static func main() throws {
        for path in CommandLine.arguments.dropFirst() {
            parser.parse([UInt8](try Data(contentsOf: URL(filePath: path))))
        }
    }
}
#endif
