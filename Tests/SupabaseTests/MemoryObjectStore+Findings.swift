extension MemoryObjectStore.Flaw {
    /// The cases that it fails, and no other, each with a part of what the failure says.
    var findings: [String: String] {
        switch self {
        case .overwrites:
            [
                "contention.one": "one put succeeds and all others are alreadyExists",
                "contention.taken": "it is alreadyExists; saw success",
            ]
        case .overwritesEqualBytes: ["contention.taken": "it is alreadyExists; saw success"]
        case .transientDuplicate:
            [
                "contention.one": "one put succeeds and all others are alreadyExists",
                "contention.taken": "it is alreadyExists",
            ]
        case .doublePutRace: ["contention.one": "one put succeeds and all others are alreadyExists"]
        case .losesLastByte:
            [
                "ability.absent": "“unable” reads as the 1 bytes that were stored",
                "checkpoint.discarded": "“discarded” reads as the 600000 bytes that were stored",
                "checkpoint.other": "“other” reads as the 600000 bytes that were stored",
                "checkpoint.resumed": "“resumed” reads as the 600000 bytes that were stored",
                "condition.any": "“replaced” reads as the 3 bytes that were stored",
                "condition.matches": "the tag is an old one; saw success",
                "content.bytes": "“every-byte” reads as the 256 bytes that were stored",
                "content.large": "“large” reads as the 250000 bytes that were stored",
                "content.protocol": "“look-alike/0” reads as the 20 bytes that were stored",
                "content.removed": "“removed/a.jpg2” reads as the 1 bytes that were stored",
                "content.tag": "equal bytes have one tag and others another",
                "contention.apart": "“apart/4” reads as the 104 bytes that were stored",
                "contention.one": "“contended” reads as the 106 bytes that were stored",
                "contention.taken": "“taken” reads as the 2 bytes that were stored",
                "copy.refused": "“source” reads as the 1 bytes that were stored",
                "copy.whole": "“copied/a b.jpg” reads as the 3 bytes that were stored",
                "holds.bytes": "the object is its bytes; saw false, not true",
                "limit.exact": "all three come; saw [1, 2], not [1, 2, 3]",
                "limit.reader": "a limit of 2 is kept; saw success",
                "move.refused": "“source” reads as the 1 bytes that were stored",
                "move.whole": "“targets/1” reads as the 3 bytes that were stored",
                "name.distinct": "“a” reads as the 1 bytes that were stored",
                "public.removed": "the object is served; saw [], not [7]",
                "public.served": "the public address serves the object; saw [7, 8], not [7, 8, 9]",
                "range.parts": "a stream says how large the object is; saw 999, not 1000",
                "signed.read": "the address serves the object; saw [7, 8], not [7, 8, 9]",
                "upload.once": "“once” reads as the 600000 bytes that were stored",
                "upload.read": "“film” reads as the 600000 bytes that were stored",
            ]
        case .losesEmptyObjects:
            [
                "content.empty": "the object “empty” can be read",
                "list.pages": "a list says the size of “a”",
            ]
        case .stripsZeros:
            [
                "checkpoint.discarded": "“discarded” reads as the 600000 bytes that were stored",
                "checkpoint.other": "“other” reads as the 600000 bytes that were stored",
                "checkpoint.resumed": "“resumed” reads as the 600000 bytes that were stored",
                "content.bytes": "“every-byte” reads as the 256 bytes that were stored",
                "content.large": "“large” reads as the 250000 bytes that were stored",
                "content.protocol": "“look-alike/3” reads as the 1 bytes that were stored",
                "contention.apart": "“apart/0” reads as the 100 bytes that were stored",
                "name.distinct": "“a” reads as the 1 bytes that were stored",
                "range.parts": "a stream says how large the object is; saw 996, not 1000",
                "upload.once": "“once” reads as the 600000 bytes that were stored",
                "upload.read": "“film” reads as the 600000 bytes that were stored",
            ]
        case .mixesChunks:
            [
                "checkpoint.discarded": "“discarded” reads as the 600000 bytes that were stored",
                "checkpoint.other": "“other” reads as the 600000 bytes that were stored",
                "checkpoint.resumed": "“resumed” reads as the 600000 bytes that were stored",
                "content.large": "“large” reads as the 250000 bytes that were stored",
                "upload.once": "“once” reads as the 600000 bytes that were stored",
                "upload.read": "“film” reads as the 600000 bytes that were stored",
            ]
        case .ignoresOwnLimit: ["limit.store": "2097153 bytes are refused; saw success"]
        case .keepsTooLarge: ["limit.store": "nothing is stored at “big”"]
        case .foldsCase: ["name.distinct": "an object of 1 bytes is stored under the key “A”"]
        case .plusIsSpace:
            [
                "name.distinct": "an object of 1 bytes is stored under the key “a+b”",
                "public.served": "the public address serves the object; saw [], not [7, 8, 9]",
            ]
        case .acceptsDots: ["name.invalid": "“.” is refused as invalidRequest; saw success"]
        case .acceptsEmpty: ["name.invalid": "“” is refused as invalidRequest; saw success"]
        case .acceptsSlashes: ["name.invalid": "“/a” is refused as invalidRequest; saw success"]
        case .matchesPrefixes:
            [
                "content.removed": "nothing is stored at “removed/a.jpg”",
                "name.part": "nothing is stored at “folder”",
            ]
        case .absentInfoThrows:
            [
                "ability.absent": "a store reports on “b”, or that it is absent",
                "checkpoint.discarded": "a store reports on “discarded”, or that it is absent",
                "content.absent": "a store reports on “nobody/put/this”, or that it is absent",
                "content.removed": "a store reports on “removed/a.jpg”, or that it is absent",
                "copy.refused": "a store reports on “new”, or that it is absent",
                "holds.bytes": "an object is compared",
                "limit.store": "a store reports on “big”, or that it is absent",
                "metadata.names": "a store reports on “smuggled”, or that it is absent",
                "move.refused": "a store reports on “new”, or that it is absent",
                "move.whole": "a store reports on “moved/a b.jpg”, or that it is absent",
                "name.part": "a store reports on “folder”, or that it is absent",
                "upload.unreadable": "a store reports on “unreadable/0”, or that it is absent",
            ]
        case .absentIsEmpty:
            [
                "content.notFound": "it is notFound; saw success",
                "range.behind": "there is no object; saw success",
            ]
        case .wrongSize:
            [
                "ability.absent": "“unable” has a size of 1",
                "checkpoint.discarded": "“discarded” has a size of 600000",
                "checkpoint.other": "“other” has a size of 600000",
                "checkpoint.resumed": "“resumed” has a size of 600000",
                "condition.any": "“replaced” has a size of 3",
                "condition.matches": "“compared” has a size of 1",
                "content.bytes": "“every-byte” has a size of 256",
                "content.empty": "“empty” has a size of 0",
                "content.large": "“large” has a size of 250000",
                "content.protocol": "“look-alike/0” has a size of 20",
                "content.removed": "“removed/a.jpg2” has a size of 1",
                "contention.apart": "“apart/4” has a size of 104",
                "contention.one": "“contended” has a size of 106",
                "contention.taken": "“taken” has a size of 2",
                "copy.refused": "“source” has a size of 1",
                "copy.whole": "“copied/a b.jpg” has a size of 3",
                "holds.bytes": "the object is its bytes; saw false, not true",
                "limit.reader": "“three” has a size of 3",
                "list.pages": "a list says the size of “a”; saw 0, not 1",
                "move.refused": "“source” has a size of 1",
                "move.whole": "“targets/1” has a size of 3",
                "name.distinct": "“a” has a size of 1",
                "upload.once": "“once” has a size of 600000",
                "upload.read": "“film” has a size of 600000",
            ]
        case .wrongType:
            [
                "checkpoint.resumed": "the type is kept",
                "condition.any": "the type is that of the last upload",
                "content.type": "the type image/jpeg is kept",
                "copy.whole": "“copied/a b.jpg” has the type",
                "move.whole": "the type goes along",
                "stream.info": "the type is that of the upload",
            ]
        case .oneTag:
            [
                "condition.matches": "the tag is an old one; saw success",
                "content.tag": "equal bytes have one tag and others another",
            ]
        case .newTagEachTime:
            [
                "condition.matches": "the known object is replaced",
                "content.tag": "equal bytes have one tag and others another",
                "list.pages": "a list says the tag of “a”",
                "stream.info": "the tag is that of its information",
            ]
        case .removesNothing:
            [
                "content.removed": "nothing is stored at “removed/a.jpg”",
                "list.pages": "what is removed is in no list",
                "public.removed": "nothing is served there; saw [7], not []",
            ]
        case .removesAll:
            [
                "content.removed": "the object “removed/a.jpg2” can be read",
                "list.pages": "what is removed is in no list",
            ]
        case .absentRemovalThrows: ["content.removed": "“removed/a.jpg” can be removed"]
        case .oneAddress:
            [
                "public.address": "addresses are stable and distinct",
                "public.removed": "the object is served; saw [], not [7]",
                "public.served": "the public address serves the object; saw [], not [7, 8, 9]",
            ]
        case .relativeAddress:
            [
                "public.address": "addresses are stable and distinct",
                "public.removed": "the object is served; saw [], not [7]",
                "public.served": "the public address serves the object; saw [], not [7, 8, 9]",
            ]
        case .namesNoKey:
            [
                "condition.matches": "an error names its key, “compared”",
                "content.notFound": "an error names its key, “absent”",
                "contention.taken": "an error names its key, “taken”",
                "copy.refused": "an error names its key, “source”",
                "limit.store": "an error names its key, “big”",
                "list.limit": "an error names its key, “p”",
                "metadata.names": "an error names its key, “smuggled”",
                "move.refused": "an error names its key, “source”",
                "name.invalid": "an error names its key, “.”",
                "range.behind": "an error names its key, “short”",
                "signed.read": "an error names its key, “signed/a b.jpg”",
                "upload.report": "an error names its key, “reported”",
                "upload.unreadable": "an error names its key, “unreadable/0”",
            ]
        case .namesNoOperation:
            [
                "condition.matches": "an error says what was tried",
                "content.notFound": "an error says what was tried",
                "contention.taken": "an error says what was tried",
                "copy.refused": "an error says what was tried",
                "limit.store": "an error says what was tried",
                "list.limit": "an error says what was tried",
                "metadata.names": "an error says what was tried",
                "move.refused": "an error says what was tried",
                "name.invalid": "an error says what was tried",
                "range.behind": "an error says what was tried",
                "signed.read": "an error says what was tried",
                "upload.report": "an error says what was tried",
                "upload.unreadable": "an error says what was tried",
            ]
        case .tellsSecret:
            [
                "condition.matches": "no error and no event shows a secret",
                "content.notFound": "no error and no event shows a secret",
                "contention.taken": "no error and no event shows a secret",
                "copy.refused": "no error and no event shows a secret",
                "limit.store": "no error and no event shows a secret",
                "list.limit": "no error and no event shows a secret",
                "metadata.names": "no error and no event shows a secret",
                "move.refused": "no error and no event shows a secret",
                "name.invalid": "no error and no event shows a secret",
                "range.behind": "no error and no event shows a secret",
                "signed.read": "no error and no event shows a secret",
                "upload.report": "no error and no event shows a secret",
                "upload.unreadable": "no error and no event shows a secret",
            ]
        case .wrongCode:
            [
                "content.notFound": "it is notFound",
                "range.behind": "there is no object",
            ]
        case .ignoresRanges: ["range.parts": "a stream says how many bytes come of 0..<1; saw 1000, not 1"]
        case .rangesAreClosed: ["range.parts": "bytes 0..<1 are those of the object"]
        case .behindIsEmpty: ["range.behind": "nothing is at byte 3; saw success"]
        case .opensWithoutType: ["stream.info": "the type is that of the upload"]
        case .losesMetadata: ["metadata.kept": "what was said is known"]
        case .takesAnyMetadata: ["metadata.names": "["]
        case .reportsNothing:
            [
                "upload.read": "the last report is of all bytes; saw 0, not 600000",
                "upload.report": "it is cancelled; saw success",
            ]
        case .reportsTooLittle: ["upload.read": "the last report is of all bytes; saw 599999, not 600000"]
        case .storesFirstPart:
            [
                "checkpoint.discarded": "“discarded” reads as the 600000 bytes that were stored",
                "checkpoint.other": "“other” reads as the 600000 bytes that were stored",
                "upload.read": "the last report is of all bytes; saw 300000, not 600000",
            ]
        case .keepsUnreadable: ["upload.unreadable": "nothing is stored at “unreadable/0”"]
        case .blamesNetwork: ["upload.unreadable": "it says so"]
        case .ignoresReports:
            [
                "checkpoint.discarded": "nothing is stored at “discarded”",
                "checkpoint.other": "it is stored",
                "checkpoint.resumed": "it goes on",
                "upload.report": "it is cancelled; saw success",
            ]
        case .startsAgain: ["checkpoint.resumed": "what had arrived is not sent again"]
        case .digestsNothing: ["checkpoint.other": "“other” reads as the 600000 bytes that were stored"]
        case .discardsOnce: ["checkpoint.discarded": "it is forgotten, also twice"]
        case .listsByLength: ["list.pages": "pages of 1 have all objects in order"]
        case .listsAll: ["list.pages": "a prefix may end in a segment"]
        case .listsNoSizes: ["list.pages": "a list says the size of “a b”; saw 0, not 4"]
        case .repeatsPages: ["list.pages": "a list ends"]
        case .skipsPages: ["list.pages": "pages of 1 have all objects in order"]
        case .listsAnyNumber: ["list.limit": "0 is refused; saw success"]
        case .copiesAreMoves: ["copy.whole": "the object “copied/a b.jpg” can be read"]
        case .copiesBytesAlone:
            [
                "copy.whole": "“copies/1” has the type",
                "move.whole": "the type goes along",
            ]
        case .copiesOver:
            [
                "copy.refused": "the key is taken; saw success",
                "move.refused": "the key is taken; saw success",
            ]
        case .movesAreCopies: ["move.whole": "nothing is stored at “moved/a b.jpg”"]
        case .neverReplaces: ["condition.any": "an object of 1 bytes is stored under the key “replaced”"]
        case .replacesBytesAlone: ["condition.any": "the type is that of the last upload"]
        case .comparesNothing: ["condition.matches": "an absent object has no tag; saw success"]
        case .signsForNoTime: ["signed.read": "0.0 seconds is refused; saw success"]
        case .signsOther: ["signed.read": "the address serves the object; saw [], not [7, 8, 9]"]
        case .signsWithSecret: ["signed.read": "no error and no event shows a secret"]
        case .deniesCopies: ["ability.absent": "copy is unsupported; saw success"]
        }
    }
}
