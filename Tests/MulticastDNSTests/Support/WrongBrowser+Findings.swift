extension WrongBrowser.Flaw {
    /// The cases that it fails, and no other, each with a part of what the failure says.
    var findings: [String: String] {
        switch self {
        case .lateFirst:
            [
                "find.first": "the first listing comes at once; saw nothing within 1.0 seconds",
                "leave.returns": "a withdrawn service leaves",
            ]
        case .wrongPort:
            [
                "find.present": "ways have the port",
                "leave.returns": "a service that comes back is listed as it is now",
            ]
        case .expired: ["find.present": "a service that is listed has not expired"]
        case .noWay:
            [
                "change.address": "the new address is listed alone",
                "find.present": "a service that is listed can be reached",
                "leave.returns": "a service that comes back is listed as it is now",
            ]
        case .onlyAtFirst:
            [
                "find.later": "a service that comes later is listed",
                "leave.returns": "a service that comes back is listed as it is now",
                "stop.behind": "a reader that is behind reads the newest listing; saw 0, not 9",
                "stop.others": "the other browse goes on",
            ]
        case .allTypes: ["find.type": "the other type has its service"]
        case .doubled:
            [
                "find.names": "names are kept",
                "find.whole": "a listing has all services in order",
            ]
        case .unordered: ["find.whole": "a listing has all services in order"]
        case .onlyNew:
            [
                "change.address": "the new address is listed alone",
                "change.alive": "a service that answers stays listed",
                "change.attributes": "changed attributes are listed",
                "leave.crashed": "a crashed service leaves within 10 s, alone",
                "leave.withdrawn": "a withdrawn service leaves alone",
                "stop.behind": "a reader that is behind reads the newest listing; saw 1, not 9",
            ]
        case .cutNames: ["find.names": "names are kept"]
        case .onlyText: ["find.attributes": "attributes are kept"]
        case .staleAttributes: ["change.attributes": "changed attributes are listed"]
        case .keepsAddresses: ["change.address": "the new address is listed alone"]
        case .dropsAtOnce:
            [
                "change.alive": "a service that answers stays listed",
                "leave.crashed": "a crashed service leaves within 10 s, alone",
            ]
        case .dropsForStranger: ["change.stranger": "the listing stays"]
        case .keepsAll:
            [
                "leave.returns": "a withdrawn service leaves",
                "leave.withdrawn": "a withdrawn service leaves alone",
            ]
        case .neverAgain: ["leave.returns": "a service that comes back is listed as it is now"]
        case .ignoresDoubts: ["leave.crashed": "a crashed service leaves within 10 s, alone"]
        case .dropsAll: ["leave.crashed": "a crashed service leaves within 10 s, alone"]
        case .onlyOnce:
            [
                "change.stranger": "the listing stays",
                "find.type": "a service is listed by its type",
                "stop.behind": "all services are found",
                "stop.cancelled": "a service is found, at first and again",
                "stop.others": "the other browse goes on",
            ]
        case .keepsAsking: ["stop.silent": "a browse that has ended asks nothing more; saw 4, not 3"]
        case .endsAll:
            [
                "stop.behind": "a reader that is behind reads the newest listing; saw 0, not 9",
                "stop.others": "the other browse goes on; saw the end of the listings",
            ]
        case .keepsListings:
            [
                "stop.behind": "a reader that is behind reads the newest listing; saw 0, not 9"
            ]
        }
    }
}
