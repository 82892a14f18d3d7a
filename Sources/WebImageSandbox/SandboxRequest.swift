import Foundation
import WebImageCore

/// What the host asks a worker to do. All requests have one size.
///
/// Both sides are the same program, but the worker is as untrusted as the files that it decodes: the host checks every
/// number of an answer before it uses it.
struct SandboxRequest: Equatable {
    enum Command: UInt64 {
        /// Decode a picture. If it is an animation whose frames are wanted, keep its decoder as the session.
        case decode = 1
        /// Read the header.
        case info
        /// Read the metadata.
        case properties
        /// Open an animation as the session.
        case open
        /// Decode the frame `number` of the session.
        case frame
        /// Describe the animation of the session.
        case describe
        /// Append bytes to a picture that arrives, which is the session.
        case append
        /// Return the partial image of the session.
        case partial
        /// Forget the session. There is no answer.
        case close
        /// Return unused memory to the kernel. There is no answer.
        case rest
        /// Run the attempt `number` of the project's tests against the process `session`.
        case attempt
        /// Read a web page, which follows the name of its character set; see ``SandboxPage``.
        case page
        /// Decode the gain map of a picture, as a picture of its own.
        case gainMap
    }

    /// How many requests of one worker were sent before. The answer repeats it.
    var id: UInt64 = 0
    var command: Command
    /// The position of the coder in ``SandboxProfile/types``.
    var coder = 0
    /// The bytes of the file or piece. They lie at the start of the window, or in the file sent with the message.
    var byteCount = 0
    var isInWindow = true
    /// The animation or the arriving picture that the worker keeps; 0: none.
    var session: UInt64 = 0
    var number = 0
    /// Whether the session begins with this piece, and whether it is the last piece.
    var isFirst = false
    var isLast = false
    var options = DecodingOptions()

    static let size = 240
    private static let magic: UInt64 = 0x0033_5153_4957  // "WISQ3"

    init(_ command: Command) { self.command = command }

    var encoded: Data {
        var fields = FieldWriter()
        fields.write(Self.magic)
        fields.write(id)
        fields.write(command.rawValue)
        fields.write(coder)
        fields.write(byteCount)
        fields.write(session)
        fields.write(number)
        fields.write(flags: [isInWindow, isFirst, isLast])
        fields.write(options)
        return fields.padded(to: Self.size)
    }

    /// Nil for bytes that are no request of this version.
    init?(_ bytes: Data) {
        guard bytes.count == Self.size else { return nil }
        var fields = FieldReader(bytes)
        guard fields.raw() == Self.magic, let id = fields.raw(), let command = fields.raw().flatMap(Command.init),
            let coder = fields.number(in: 0...Int.max), let byteCount = fields.number(in: 0...Int.max),
            let session = fields.raw(), let number = fields.number(in: Int.min...Int.max),
            let flags = fields.flags(3), let options = fields.options()
        else { return nil }
        (self.id, self.command, self.coder, self.byteCount) = (id, command, coder, byteCount)
        (self.session, self.number, self.options) = (session, number, options)
        (isInWindow, isFirst, isLast) = (flags[0], flags[1], flags[2])
    }
}

/// The shared memory of host and worker: the encoded bytes, two slots for parts of a large result, and the place where
/// coders write smaller pictures.
enum SandboxWindow {
    static let inputBytes = 4 << 20
    static let slotBytes = 1 << 20
    /// Room for the pixels of a picture of 1920 × 1080 px. A larger one is rare, and new pages of shared memory cost
    /// more than the copy through the slots, which are warm.
    static let arenaBytes = 10 << 20
    static let arenaOffset = inputBytes + 2 * slotBytes
    static let byteCount = arenaOffset + arenaBytes

    /// The offset of the slot of a part.
    static func offset(ofPart part: Int) -> Int { inputBytes + part % 2 * slotBytes }

    /// The number of parts of a result of `byteCount` bytes.
    static func partCount(_ byteCount: Int) -> Int { (byteCount + slotBytes - 1) / slotBytes }

    /// The bytes of a part of a result of `byteCount` bytes.
    static func range(ofPart part: Int, of byteCount: Int) -> Range<Int> {
        let start = min(part * slotBytes, byteCount)
        return start..<min(start + slotBytes, byteCount)
    }
}
