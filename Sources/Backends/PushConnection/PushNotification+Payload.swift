internal import Foundation
internal import PushWire
internal import Services

extension PushNotification {
    /// A notification with what its payload wants shown; `nil` where that is nothing: it is for the app alone.
    ///
    /// Source: Apple, "Generating a remote notification", for `aps.alert`: an object, or a text that is the body.
    init?(_ delivery: PushDelivery) {
        struct Alert: Decodable {
            var title: String?
            var body: String?

            private enum CodingKeys: CodingKey { case title, body }

            init(from decoder: any Decoder) throws {
                if let text = try? decoder.singleValueContainer().decode(String.self) {
                    body = text
                    return
                }
                let fields = try decoder.container(keyedBy: CodingKeys.self)
                title = try? fields.decodeIfPresent(String.self, forKey: .title)
                body = try? fields.decodeIfPresent(String.self, forKey: .body)
            }
        }
        struct Payload: Decodable {
            struct Application: Decodable { var alert: Alert? }
            var aps: Application?
        }
        let payload = Array(delivery.payload.utf8)
        guard let alert = (try? JSONDecoder().decode(Payload.self, from: Data(payload)))?.aps?.alert else {
            return nil
        }
        self.init(id: delivery.id, title: alert.title ?? "", body: alert.body ?? "", payload: payload)
    }
}
