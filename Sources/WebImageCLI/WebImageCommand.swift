import WebImage

/// The `webimage` command.
public enum WebImageCommand {
    /// Runs the command and returns its exit code.
    public static func run(_ arguments: [String]) -> Int32 { 0 }
}
