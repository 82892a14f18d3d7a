import CWebImageGTK
import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTesting

@testable import WebImageGTK

/// Loads libadwaita at run time, because this package does not link libadwaita. Programs that use avatars link it.
private enum Adwaita {
    private typealias MakeAvatar = @convention(c) (Int32, UnsafePointer<CChar>?, Int32) -> UnsafeMutableRawPointer?
    private static let make: MakeAvatar? = {
        guard let library = dlopen("libadwaita-1.so.0", RTLD_NOW), let symbol = dlsym(library, "adw_avatar_new") else {
            return nil
        }
        return unsafeBitCast(symbol, to: MakeAvatar.self)
    }()

    static var isInstalled: Bool { make != nil }
    static func avatar(side: Int32) -> OpaquePointer? { make.flatMap { OpaquePointer($0(side, "A B", 1)) } }
}

extension GTKSuite {
    @Suite("AdwAvatar", .enabled(if: Adwaita.isInstalled, "no libadwaita-1.so.0")) @MainActor struct AvatarTests {
        let loader = ControlledViewLoader()
        let red: [UInt8] = [0, 0, 255, 255]

        init() throws { try Display.open() }

        private func plain() throws -> Image {
            try Image.generated(width: 40, height: 40) { _, _ in (red[0], red[1], red[2], red[3]) }
        }

        @Test func adoptedAvatarShowsTheImageOrElseItsInitials() async throws {
            let avatar = try #require(Adwaita.avatar(side: 48))
            let view = try #require(ImageView(adopting: avatar))
            let window = try await TestWindow(avatar, width: 48, height: 48)
            defer { window.close() }
            #expect(view.paintable == nil)
            view.setImage(with: URL(fileURLWithPath: "/a.png"), context: [.customManager: loader])
            loader.loads[0].deliver(try plain())
            let drawn = try #require(try await TestWindow.drawing(of: avatar) { $0.bgra(24, 24) == red })
            #expect(drawn.bgra(24, 24) == red && drawn.bgra(6, 24) == red)
            view.image = nil
            #expect(view.paintable == nil)
            let bare = try #require(try await TestWindow.drawing(of: avatar) { $0.bgra(24, 24) != red })
            #expect(bare.bgra(24, 24) != red)
        }

        @Test func destroyedAvatarEndsItsLoad() throws {
            let avatar = try #require(Adwaita.avatar(side: 48))
            g_object_ref_sink(UnsafeMutableRawPointer(avatar))
            var ended = 0
            ImageView(adopting: avatar)?.setImage(
                with: URL(fileURLWithPath: "/a.png"), context: [.customManager: loader]
            ) { _, error, _, _ in ended += error?.isCancellation == true ? 1 : 0 }
            g_object_run_dispose(UnsafeMutablePointer<GObject>(avatar))
            #expect(ended == 1)
            g_object_unref(UnsafeMutableRawPointer(avatar))
        }
    }
}
