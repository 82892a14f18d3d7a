import Foundation
import Testing
import WebImageService
import MyAppKit

@Test func theEnvironmentDecides() throws {
    let configuration = try Settings.configuration(["PICTURES": "/usr", "KEY": "00ff", "SALT": "aa"])
    #expect(configuration.root == "/usr" && configuration.requiresSignature)
    #expect(configuration.allowedSources == ["local://"])
    let both = try Settings.configuration(["PICTURES": "/usr", "SOURCES": "https://a/ https://b/"])
    #expect(both.allowedSources == ["local://", "https://a/", "https://b/"])
    let others = try Settings.configuration(["SOURCES": "https://a/"])
    #expect(others.root.isEmpty && others.allowedSources == ["https://a/"] && !others.requiresSignature)
}

@Test(arguments: [
    ["KEY": "00ff"], ["SALT": "aa"], ["KEY": "00ff", "SLAT": "aa"], ["KEY": "", "SALT": "aa"],
    ["PICTURES": "/nonexistent"],
]) func wrongVariablesAreErrors(_ environment: [String: String]) {
    #expect(throws: SettingError.self) { try Settings.configuration(environment) }
}

@Test func otherMachinesNeedSignatures() throws {
    let pictures = ["PICTURES": "/usr"]
    #expect(throws: SettingError.self) { try Settings.configuration(pictures, isOpen: true) }
    let keys = pictures.merging(["KEY": "00ff", "SALT": "aa"]) { $1 }
    #expect(try Settings.configuration(keys, isOpen: true).requiresSignature)
}

@Test func aServiceAnswers() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("my-app-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // The smallest kind of picture file: a BMP of one red pixel.
    let bmp: [UInt8] =
        [66, 77, 58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0]
        + [UInt8](repeating: 0, count: 24) + [0, 0, 255, 0]
    try Data(bmp).write(to: folder.appendingPathComponent("red.bmp"))
    let service = try ImageService(configuration: Settings.configuration(["PICTURES": folder.path]))
    #expect(await service.respond(to: ServiceRequest(target: "/healthz")).status == 200)
    let red = "/_/rs:fit:100:100/plain/local:///red.bmp@png"
    #expect(await service.respond(to: ServiceRequest(target: red)).status == 200)
    // Without SOURCES no other source is allowed.
    let target = "/_/rs:fit:100:100/plain/https://example.org/a.png"
    #expect(await service.respond(to: ServiceRequest(target: target)).status == 403)
}
