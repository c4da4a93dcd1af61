public import ArgumentParser
public import SessionRecording

extension Retention.Pictures: ExpressibleByArgument {}
