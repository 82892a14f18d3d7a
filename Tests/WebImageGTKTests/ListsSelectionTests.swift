import CWebImageGTK
import CWebImageGTKShim
import Foundation
import Testing
import WebImage
import WebImageTesting

@testable import WebImageGTK

struct ListSelectionRules {
    @Test func cursorStaysInTheListAndMovesTheSelection() {
        var selection = ListSelection()
        selection.isOn = true
        #expect(selection.move(.next, count: 3, from: 1) == 1)
        #expect(selection.move(.next, count: 3, from: 1) == 2)
        #expect(selection.move(.next, count: 3, from: 1) == 2)
        #expect(selection.move(.first, count: 3, from: 1) == 0)
        #expect(selection.move(.previous, count: 3, from: 1) == 0)
        #expect(selection.move(.to(99), count: 3, from: 1) == 2)
        #expect(selection.selected == 2 && selection.cursor == 2)
        #expect(selection.move(.last, count: 0, from: 0) == nil)
    }

    @Test func withoutSelectionOnlyTheCursorMoves() {
        var selection = ListSelection()
        #expect(selection.move(.last, count: 5, from: 0) == 4)
        selection.select(2)
        #expect(selection.selected == nil && selection.cursor == 2)
        selection.isOn = true
        selection.select(3)
        selection.isOn = false
        #expect(selection.selected == nil)
    }

    @Test func movedRowsKeepTheSelectionAndRemovedRowsClearIt() {
        var selection = ListSelection()
        selection.isOn = true
        selection.select(4)
        selection.follow { $0 + 3 }
        #expect(selection.selected == 7 && selection.cursor == 7)
        selection.follow { $0 == 7 ? nil : $0 }
        #expect(selection.selected == nil && selection.cursor == nil)
    }
}

extension GTKSuite {
    @Suite("Rows chosen by pointer and key") @MainActor struct ListsSelectionTests {
        let loader = FakeDataLoader()
        let folder: ScratchFolder
        let manager: WebImageManager

        init() throws {
            try Display.open()
            folder = try ScratchFolder()
            manager = WebImageManager(
                cache: ImageCache(namespace: "lists", diskCacheDirectory: folder.url.path), loader: loader)
        }

        private func makeList(_ direction: FittingList.Direction = .vertical) async throws -> (FittingList, ListWindow)
        {
            let list = FittingList(
                direction, count: 100,
                request: { position in
                    ImageListRequest(
                        URL(string: "https://images.test/\(position).png"), context: [.customManager: manager])
                })
            let isVertical = direction == .vertical
            let window = try await ListWindow(list.widget, width: isVertical ? 60 : 200, height: isVertical ? 200 : 60)
            _ = try await pump { list.row(at: 0) != nil }
            try await window.rest()
            return (list, window)
        }

        /// Activates the key binding of the list's widget class. Returns false if the key has no binding, or if the
        /// binding does not handle the key.
        private func press(_ key: Int32, _ list: FittingList) -> Bool {
            let widget = UnsafeMutablePointer<GtkWidget>(list.widget)
            let controllers = gtk_widget_observe_controllers(widget)
            defer { g_object_unref(UnsafeMutableRawPointer(controllers)) }
            for number in 0..<g_list_model_get_n_items(controllers) {
                guard let controller = g_list_model_get_item(controllers, number) else { continue }
                defer { g_object_unref(controller) }
                guard
                    g_type_check_instance_is_a(
                        controller.assumingMemoryBound(to: GTypeInstance.self), gtk_shortcut_controller_get_type()) != 0
                else { continue }
                let shortcuts = OpaquePointer(controller)
                for index in 0..<g_list_model_get_n_items(shortcuts) {
                    guard let item = g_list_model_get_item(shortcuts, index) else { continue }
                    defer { g_object_unref(item) }
                    let shortcut = OpaquePointer(item)
                    guard let trigger = gtk_shortcut_get_trigger(shortcut),
                        g_type_check_instance_is_a(
                            UnsafeMutablePointer<GTypeInstance>(trigger), gtk_keyval_trigger_get_type()) != 0,
                        gtk_keyval_trigger_get_keyval(trigger) == guint(key)
                    else { continue }
                    let action = gtk_shortcut_get_action(shortcut)
                    let arguments = gtk_shortcut_get_arguments(shortcut)
                    if gtk_shortcut_action_activate(action, GtkShortcutActionFlags(0), widget, arguments) != 0 {
                        return true
                    }
                }
            }
            return false
        }

        private func hasFocus(_ position: Int, _ list: FittingList) -> Bool {
            guard let row = list.core.bound[position] else { return false }
            return gtk_widget_is_focus(UnsafeMutablePointer(row.container)) != 0
        }

        @Test func keysMoveTheFocusAndScrollToIt() async throws {
            let (list, window) = try await makeList()
            defer { window.close() }
            #expect(press(GDK_KEY_Down, list) && hasFocus(0, list))
            for _ in 0..<9 { #expect(press(GDK_KEY_Down, list)) }
            #expect(hasFocus(9, list) && list.visiblePositions.contains(9))
            #expect(press(GDK_KEY_Page_Down, list))
            let paged = try #require(list.core.selection.cursor)
            #expect((13...15).contains(paged) && hasFocus(paged, list))
            #expect(press(GDK_KEY_End, list) && hasFocus(99, list) && list.visiblePositions.contains(99))
            #expect(press(GDK_KEY_Up, list) && hasFocus(98, list))
            #expect(press(GDK_KEY_Home, list) && hasFocus(0, list) && list.visiblePositions.contains(0))
            // The list scrolls vertically, so it does not handle the left and right arrow keys.
            #expect(!press(GDK_KEY_Right, list))
        }

        @Test func horizontalListUsesTheHorizontalArrowKeys() async throws {
            let (list, window) = try await makeList(.horizontal)
            defer { window.close() }
            #expect(press(GDK_KEY_Right, list) && press(GDK_KEY_Right, list) && hasFocus(1, list))
            #expect(press(GDK_KEY_Left, list) && hasFocus(0, list))
            #expect(!press(GDK_KEY_Down, list))
        }

        @Test func oneRowIsSelectedAndReported() async throws {
            let (list, window) = try await makeList()
            defer { window.close() }
            var told: [Int?] = []
            list.onSelectionChange = { told.append($0) }
            list.selectedPosition = 2
            #expect(list.selectedPosition == nil && told.isEmpty)
            list.selectionMode = .single
            list.selectedPosition = 2
            list.core.wasClicked(1, x: 5, y: 45)
            #expect(list.selectedPosition == 1)
            func isMarked(_ position: Int) -> Bool {
                guard let row = list.core.bound[position] else { return false }
                let flags = gtk_widget_get_state_flags(UnsafeMutablePointer(row.container))
                return flags.rawValue & GTK_STATE_FLAG_SELECTED.rawValue != 0
            }
            #expect(isMarked(1) && !isMarked(2) && !isMarked(0))
            #expect(press(GDK_KEY_Down, list) && isMarked(2) && !isMarked(1))
            list.insertRows(3, at: 0)
            #expect(list.selectedPosition == 5)
            list.removeRows(4..<8)
            #expect(list.selectedPosition == nil)
            #expect(told == [2, 1, 2, 5, nil])
            list.selectedPosition = 1_000
            #expect(list.selectedPosition == nil)
        }

        @Test func returnKeyAndDoubleClickActivate() async throws {
            let (list, window) = try await makeList()
            defer { window.close() }
            var activated: [Int] = []
            #expect(press(GDK_KEY_Down, list) && !press(GDK_KEY_Return, list))
            list.onActivate = { activated.append($0) }
            #expect(press(GDK_KEY_Down, list) && press(GDK_KEY_Return, list))
            list.core.wasClicked(1, x: 5, y: 5)
            #expect(activated == [1])
            list.core.wasClicked(2, x: 5, y: 5)
            #expect(activated == [1, 0])
            list.activatesOnSingleClick = true
            list.core.wasClicked(1, x: 5, y: 85)
            #expect(activated == [1, 0, 2])
            list.core.wasClicked(2, x: 5, y: 85)
            #expect(activated == [1, 0, 2])
        }

        @Test func focusIsRestoredWhenItsRowIsBoundAgain() async throws {
            let (list, window) = try await makeList()
            defer { window.close() }
            #expect(press(GDK_KEY_Down, list) && press(GDK_KEY_Down, list) && hasFocus(1, list))
            list.scroll(to: 60)
            #expect(list.row(at: 1) == nil)
            #expect(gtk_widget_is_focus(UnsafeMutablePointer(list.widget)) != 0)
            list.scroll(to: 0)
            #expect(hasFocus(1, list))
            list.scroll(to: 60)
            // The next key moves the focus from its last position.
            #expect(press(GDK_KEY_Down, list) && hasFocus(2, list) && list.visiblePositions.contains(2))
        }

        @Test func accessibilityReportsAListAndItsItems() async throws {
            let (list, window) = try await makeList()
            defer { window.close() }
            let row = try #require(list.core.bound[0]?.container)
            #expect(gtk_accessible_get_accessible_role(list.widget) == GTK_ACCESSIBLE_ROLE_LIST)
            #expect(gtk_accessible_get_accessible_role(row) == GTK_ACCESSIBLE_ROLE_LIST_ITEM)
        }
    }
}
