internal import Foundation

/// The error number of the system behind an error of Foundation; `nil` where there is none.
package func systemError(behind error: any Error) -> Int32? {
    var next: (any Error)? = error
    while let current = next {
        if let posix = current as? POSIXError { return posix.code.rawValue }
        let bridged = current as NSError
        if bridged.domain == NSPOSIXErrorDomain { return Int32(bridged.code) }
        if let known = (current as? CocoaError).flatMap({ codes[$0.code] }),
            bridged.userInfo[NSUnderlyingErrorKey] == nil
        {
            return known
        }
        next = bridged.userInfo[NSUnderlyingErrorKey] as? any Error
    }
    return nil
}

private let codes: [CocoaError.Code: Int32] = [
    .fileNoSuchFile: ENOENT, .fileReadNoSuchFile: ENOENT, .fileReadNoPermission: EACCES,
    .fileWriteNoPermission: EACCES, .fileWriteOutOfSpace: ENOSPC, .fileWriteVolumeReadOnly: EROFS,
]
