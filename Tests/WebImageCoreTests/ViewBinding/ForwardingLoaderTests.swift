import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting
import WebImageViews

/// Tests the loader of a recycled row. This loader forwards loads to a manager, and the row can replace the manager.
@MainActor @Suite(.timeLimit(minutes: 1))
struct ForwardingLoaderTests {
    private final class Row: ViewImageLoading {
        private let base = Locked<ControlledViewLoader?>(nil)

        var manager: ControlledViewLoader? {
            get { base.withLock { $0 } }
            set { base.withLock { $0 = newValue } }
        }

        var nextLoader: (any ViewImageLoading)? { manager }

        func loadImage(
            with url: URL?, options: WebImageOptions, context: WebImageContext?, progress: ImageLoaderProgressBlock?,
            completed: @escaping ViewImageLoadingCompletedBlock
        ) -> any WebImageOperation {
            guard let manager else { fatalError("no manager") }
            return manager.loadImage(
                with: url, options: options, context: context, progress: progress, completed: completed)
        }
    }

    private let managers = (ControlledViewLoader(), ControlledViewLoader())
    private let row = Row()
    private let view = ViewFixture()

    private func load(through manager: ControlledViewLoader) throws {
        row.manager = manager
        view.binding.setImage(with: try ViewFixture.url(1), context: [.customManager: row])
    }

    @Test func loadThroughAnotherManagerIsSeparate() throws {
        try load(through: managers.0)
        try load(through: managers.1)
        #expect(managers.0.loads.count == 1 && managers.1.loads.count == 1)
        let image = try ViewFixture.image()
        managers.1.loads.first?.deliver(image)
        #expect(view.displayedImage === image)
        // The first manager starts a new load, because the shown image comes from the second manager.
        try load(through: managers.0)
        #expect(managers.0.loads.count == 2)
    }

    @Test func aLoadThroughTheSameManagerJoins() throws {
        try load(through: managers.0)
        try load(through: managers.0)
        #expect(managers.0.loads.count == 1)
    }
}
