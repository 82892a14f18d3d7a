import CWebImageGTK
import CWebImageGTKShim

extension FittingListCore {
    /// Changes the selection, draws it and calls `onSelectionChange`.
    func changeSelection(_ body: (inout ListSelection) -> Void) {
        let (before, wasOn) = (selection.selected, selection.isOn)
        body(&selection)
        let isChanged = selection.selected != before
        if isChanged || selection.isOn != wasOn { for (position, load) in bound { markSelection(of: load, position) } }
        if isChanged { onSelectionChange?(selection.selected) }
    }

    func markSelection(of load: RowLoad, _ position: Int) {
        webimage_list_row_set_selected(load.container, selection.isOn, selection.selected == position)
    }

    // MARK: User input

    /// Handles a key; returns false for a key without effect.
    func hasKey(_ key: webimage_list_key) -> Bool {
        let step: ListSelection.Step
        switch isMirrored ? key.mirrored : key {
        case webimage_list_previous: step = .previous
        case webimage_list_next: step = .next
        case webimage_list_first: step = .first
        case webimage_list_last: step = .last
        case webimage_list_page_back: step = .to(pageAway(-1))
        case webimage_list_page_on: step = .to(pageAway(1))
        default:
            guard let position = selection.cursor, let onActivate else { return false }
            onActivate(position)
            return true
        }
        let start = firstInSight
        var target: Int?
        changeSelection { target = $0.move(step, count: layout.count, from: start) }
        guard let target else { return false }
        reveal(target)
        focus(target)
        return true
    }

    func wasClicked(_ count: Int, x: Double, y: Double) {
        let place = value + (isVertical ? y : isMirrored ? Double(page) - x : x)
        guard let position = layout.rows(from: place, to: place + 1).first else { return }
        changeSelection { $0.select(position) }
        focus(position)
        if count == (activatesOnSingleClick ? 1 : 2) { onActivate?(position) }
    }

    /// Called when the focus enters the list. Moves the focus to the row that had the focus last. If there is no such
    /// row, moves the focus to the first visible row.
    func takesFocus() -> Bool {
        guard layout.count > 0 else { return false }
        let position = selection.cursor ?? firstInSight
        reveal(position)
        return focus(position)
    }

    // MARK: The focus

    @discardableResult
    private func focus(_ position: Int) -> Bool {
        guard let load = bound[position] else { return false }
        return gtk_widget_grab_focus(UnsafeMutablePointer(load.container)) != 0
    }

    /// Called before a row is released. If the row has the focus, moves the focus to the list. The list returns the
    /// focus when the same position is bound again.
    func keepFocus(of load: RowLoad) {
        let row = UnsafeMutablePointer<GtkWidget>(load.container)
        guard let area, gtk_widget_get_focus_child(UnsafeMutablePointer(area)) == row else { return }
        gtk_widget_grab_focus(UnsafeMutablePointer(area))
    }

    func giveFocusBack(to position: Int) {
        guard let area, selection.cursor == position, gtk_widget_is_focus(UnsafeMutablePointer(area)) != 0 else {
            return
        }
        focus(position)
    }

    private var firstInSight: Int {
        let sight = layout.rows(from: value, to: value + Double(page))
        return sight.first { Double(layout.start(of: $0)) >= value } ?? sight.first ?? 0
    }

    private func pageAway(_ way: Int) -> Int {
        let from = selection.cursor ?? firstInSight
        let place = Double(layout.start(of: min(from, max(layout.count - 1, 0)))) + Double(way * page)
        // Beyond the ends there is no row; use the first or last row instead.
        let target = layout.rows(from: place, to: place + 1).first ?? (way < 0 ? 0 : layout.count - 1)
        return target == from ? from + way : target
    }

    /// Scrolls by the smallest distance that makes a row fully visible. Each scroll measures new rows, and their
    /// extents can change the distance. Therefore this function scrolls up to three times.
    private func reveal(_ position: Int) {
        for _ in 0..<3 {
            let start = Double(layout.start(of: position))
            let end = start + Double(layout.extents[position])
            if start >= value, end <= value + Double(page) { return }
            scroll(to: start < value ? start : min(start, end - Double(page)))
        }
    }
}

extension webimage_list_key {
    /// The meaning of the key in a list whose rows follow each other from right to left. Only the arrow keys along the
    /// list, which have no other effect than these two, point in a direction.
    fileprivate var mirrored: webimage_list_key {
        switch self {
        case webimage_list_previous: webimage_list_next
        case webimage_list_next: webimage_list_previous
        default: self
        }
    }
}
